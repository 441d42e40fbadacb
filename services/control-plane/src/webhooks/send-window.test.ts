import { SendWindow } from './send-window';

test('each success widens the window to 16 at most, and a failure narrows it to one', () => {
  const window = new SendWindow();
  expect(window.current).toBe(1);
  window.succeeded();
  expect(window.current).toBe(2);
  for (let count = 0; count < 20; count += 1) window.succeeded();
  expect(window.current).toBe(16);
  window.failed();
  expect(window.current).toBe(1);
});
