const key = 'stream';

/**
 * Stores the current stream for a reload of this tab.
 * @param {{ number: number, viewerId: string, title: string }} stream
 */
export function rememberStream({ number, viewerId, title }) {
  sessionStorage.setItem(key, JSON.stringify({ number, viewerId, title }));
}

export function forgetStream() {
  sessionStorage.removeItem(key);
}

/**
 * Returns the stream of this tab before it was reloaded. A duplicated tab has the same storage but is not a reload.
 * @returns {{ number: number, viewerId: string, title: string } | undefined}
 */
export function streamBeforeReload() {
  const [navigation] = performance.getEntriesByType('navigation');
  const text = sessionStorage.getItem(key);
  forgetStream();
  const reloaded = navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload';
  return reloaded && text !== null ? JSON.parse(text) : undefined;
}
