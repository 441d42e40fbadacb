// Loaded before a service: on SIGUSR2, writes how many modules it has loaded from files to MODULE_COUNT_FILE.
const { writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => writeFileSync(process.env.MODULE_COUNT_FILE, String(Object.keys(require.cache).length)));
