const patienceMilliseconds = 60_000;

/**
 * Calls the site's own backend. Never throws: `reached` is false if there was no response, or if the backend could not reach the
 * playback service.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<{ ok: boolean, reached: boolean, answer: unknown }>}
 */
export async function ask(method, path, body = {}) {
  /** @type {RequestInit} */
  const post = { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(patienceMilliseconds);
  try {
    const response = await fetch(path, method === 'GET' ? { signal } : { ...post, signal });
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    return { ok: response.ok, reached: response.status < 500, answer };
  } catch {
    return { ok: false, reached: false, answer: { code: 'service_unavailable' } };
  }
}
