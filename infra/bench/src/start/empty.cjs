// The cost of Node itself.
process.send('started');
process.on('message', () => undefined); // keeps it running
