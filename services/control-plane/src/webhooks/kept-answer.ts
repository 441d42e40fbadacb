import type { OutboundAnswer } from '@multi-drm/service-kit';

/** How many bytes of an answer are kept. */
const maximumBytes = 1024;

const textTypes = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/i;

/** Shorter parts of header values are words that may occur anywhere. */
const leastSecretLength = 6;

/**
 * Returns the beginning of an answer's text, for the people who look for the cause of a failure; null if it is not text.
 *
 * @param sent values of secret headers that were sent: some receivers show them in their answers
 */
export function keptAnswer({ headers, body }: OutboundAnswer, sent: readonly string[]): string | null {
  const type = headers['content-type'] ?? '';
  if (!textTypes.test(type) || body.length === 0) return null;
  // PostgreSQL stores no NUL.
  const text = masked(new TextDecoder().decode(body), sent).replaceAll('\0', '\uFFFD');
  // The last character may be cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maximumBytes), { stream: true });
}

function masked(text: string, sent: readonly string[]): string {
  // Also without a scheme, such as `Bearer`, and as JSON writes it.
  const parts = sent.flatMap((value) => [value, ...value.split(/\s+/)]);
  const forms = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]);
  // The longest come first: one may be the beginning of another one, of which the rest would be shown.
  const longestFirst = forms
    .filter(({ length }) => length >= leastSecretLength)
    .sort((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, form) => rest.replaceAll(form, '***'), text);
}
