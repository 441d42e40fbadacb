/** Shorter patterns would match by chance. */
const shortestPattern = 12;

/**
 * Returns the forms in which a secret could appear in a log or dump, as bytes to search for: unchanged, JSON-escaped, URL-encoded, hex,
 * and base64 at any offset, and the same for the bytes that it encodes.
 */
export function formsOf(secret: string): Buffer[] {
  // The prefix of a key is not secret, and a key without it must be found too.
  const bare = secret.replace(/^(?:mk|ak|op)_(?=[\w-]{16})/, '');
  const texts = [bare, JSON.stringify(bare).slice(1, -1), encodeURIComponent(bare)];
  const decoded = decode(bare);
  const all = [Buffer.from(bare), ...decoded].flatMap((bytes) => [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ]);
  const patterns = [...new Set([...texts, ...all])].map((text) => Buffer.from(text));
  return [...patterns, ...decoded].filter(({ length }) => length >= shortestPattern);
}

/** Decodes hex, base64 or base64url. */
function decode(text: string): Buffer[] {
  if (/^(?:[0-9a-f]{2}){16,}$/i.test(text)) return [Buffer.from(text, 'hex')];
  if (/^[\w+/-]{22,}={0,2}$/.test(text)) return [Buffer.from(text, 'base64')];
  return [];
}

/** Encodes as base64, without the characters at both ends that depend on the surrounding bytes. */
function base64Forms(bytes: Buffer, offset: number): string[] {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const sure = encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
}
