/** Shorter patterns would be found by chance. */
const shortestPattern = 12;

/**
 * The forms in which a secret could stand in a log or a dump, as bytes to search for: as it is, escaped as in JSON,
 * URL-encoded, as hex, as base64 wherever it begins in what was encoded; and the same of the bytes that it stands for.
 */
export function formsOf(secret: string): Buffer[] {
  // The prefix of a key is no secret, and would leave a key unfound that is written without it.
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

/** The bytes that hex, base64 or base64url stands for. */
function decode(text: string): Buffer[] {
  if (/^(?:[0-9a-f]{2}){16,}$/i.test(text)) return [Buffer.from(text, 'hex')];
  if (/^[\w+/-]{22,}={0,2}$/.test(text)) return [Buffer.from(text, 'base64')];
  return [];
}

/** Without the characters at both ends that depend on what stands before and after the bytes. */
function base64Forms(bytes: Buffer, offset: number): string[] {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const sure = encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
}
