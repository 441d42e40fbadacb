// The floor of a start: loads the libraries that both services stand on, and does nothing with them.
const { createRequire } = require('node:module');
const { join } = require('node:path');

const libraries = {
  'services/control-plane': ['@prisma/client/runtime/client', 'express', 'ioredis', 'winston'],
  'services/playback': ['jsonwebtoken'],
  'packages/service-kit': ['express-openapi-validator', 'helmet'],
};
for (const [folder, names] of Object.entries(libraries)) {
  const requireThere = createRequire(join(__dirname, '../../../..', folder, 'package.json'));
  for (const name of names) requireThere(name);
}
process.send('loaded');
process.on('message', () => undefined); // keeps it running
