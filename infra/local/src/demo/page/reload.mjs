const key = 'stream';

/**
 * Remembers what plays, for a reload of this tab.
 * @param {{ number: number, viewerId: string }} stream
 */
export function rememberStream({ number, viewerId }) {
  sessionStorage.setItem(key, JSON.stringify({ number, viewerId }));
}

export function forgetStream() {
  sessionStorage.removeItem(key);
}

/**
 * What played in this tab when it was reloaded. A duplicate of the tab has the same memory, but is no reload.
 * @returns {{ number: number, viewerId: string } | undefined}
 */
export function streamBeforeReload() {
  const [navigation] = performance.getEntriesByType('navigation');
  const text = sessionStorage.getItem(key);
  forgetStream();
  const reloaded = navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload';
  return reloaded && text !== null ? JSON.parse(text) : undefined;
}
