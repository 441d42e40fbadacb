const mask = '[secret]';

/**
 * The first characters of a text without any of the secrets, in each form that a server may send them back in: as they are, in
 * base64, base64url or hex, in a URL, in JSON; keys written in hex or base64 also as the bytes that they stand for. Looks no
 * further than it shows, so that a server cannot make this work long.
 */
export function maskSecrets(text: string, secrets: readonly string[], mostCharacters: number): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  const longest = Math.max(0, ...forms.map(({ length }) => length));
  // What begins in the shown part may end behind it.
  const looked = text.slice(0, mostCharacters + longest);
  const spans = forms.flatMap((form) => spansOf(form, looked)).sort((one, other) => one.start - other.start);
  let shown = '';
  let position = 0;
  for (const { start, end } of spans) {
    if (start >= mostCharacters) break;
    if (start >= position) shown += looked.slice(position, start) + mask;
    position = Math.max(position, end);
  }
  return shown + looked.slice(position, Math.max(position, mostCharacters));
}

interface Span {
  start: number;
  end: number;
}

function spansOf(form: string, text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
    spans.push({ start, end: start + form.length });
  }
  return spans;
}

function formsOf(secret: string): string[] {
  const meanings = [Buffer.from(secret)];
  if (/^(?:[0-9a-f]{2})+$/i.test(secret)) meanings.push(Buffer.from(secret, 'hex'));
  if (/^[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) meanings.push(Buffer.from(secret, 'base64'));
  return [
    ...[secret, secret.toLowerCase(), secret.toUpperCase()],
    ...[encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
    ...meanings.flatMap((bytes) => [
      bytes.toString('base64'),
      bytes.toString('base64').replace(/=+$/, ''),
      encodeURIComponent(bytes.toString('base64')),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ]),
  ];
}
