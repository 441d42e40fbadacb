import type { OutboundAnswer } from '@multi-drm/service-kit';

/** How many bytes of an answer are kept. */
const mostBytes = 1024;

const textTypes = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/i;

/** Returns the beginning of an answer's text, for the people who look for the cause of a failure; null if it is no text. */
export function keptAnswer({ headers, body }: OutboundAnswer): string | null {
  const type = headers['content-type'] ?? '';
  if (!textTypes.test(type) || body.length === 0) return null;
  // The last character may be cut in two, and PostgreSQL stores no NUL.
  const text = new TextDecoder().decode(body.subarray(0, mostBytes), { stream: true });
  return text.replaceAll('\0', '\uFFFD');
}
