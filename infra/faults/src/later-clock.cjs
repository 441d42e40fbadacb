// Loaded before a service: each SIGUSR2 moves its monotonic clock eleven minutes ahead.
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
process.on('SIGUSR2', () => {
  ahead += 660_000;
});
