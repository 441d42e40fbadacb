import type { OutboundAnswer } from '@multi-drm/service-kit';

/** How many bytes of an answer are kept. */
const mostBytes = 1024;

const textTypes = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/i;

/** Shorter parts of header values are words that may occur anywhere. */
const leastSecretLength = 6;

/**
 * Returns the beginning of an answer's text, for the people who look for the cause of a failure; null if it is no text.
 *
 * @param sent values of secret headers that were sent: some receivers show them in their answers
 */
export function keptAnswer({ headers, body }: OutboundAnswer, sent: readonly string[]): string | null {
  const type = headers['content-type'] ?? '';
  if (!textTypes.test(type) || body.length === 0) return null;
  // PostgreSQL stores no NUL.
  const text = masked(new TextDecoder().decode(body), sent).replaceAll('\0', '\uFFFD');
  // The last character may be cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, mostBytes), { stream: true });
}

function masked(text: string, sent: readonly string[]): string {
  // Also without a scheme, such as `Bearer`.
  const parts = sent.flatMap((value) => [value, ...value.split(/\s+/)]);
  return parts.reduce((rest, part) => (part.length < leastSecretLength ? rest : rest.replaceAll(part, '***')), text);
}
