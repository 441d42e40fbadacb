const mask = '[secret]';

/**
 * The start of a text with all secrets masked, in each form in which a server may echo them: verbatim, in base64,
 * base64url or hex, in a URL, a form or JSON; keys written in hex or base64 also as the bytes they encode, and
 * credentials without their scheme. Looks no further than the part it returns, so that a server cannot make this slow.
 */
export function maskSecrets(text: string, secrets: readonly string[], maximumCharacters: number): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  const longest = Math.max(0, ...forms.map(({ length }) => length));
  // A secret that starts in the visible part may end after it.
  const looked = text.slice(0, maximumCharacters + longest);
  const spans = forms.flatMap((form) => spansOf(form, looked)).sort((one, other) => one.start - other.start);
  let shown = '';
  let position = 0;
  for (const { start, end } of spans) {
    if (start >= maximumCharacters) break;
    if (start >= position) shown += looked.slice(position, start) + mask;
    position = Math.max(position, end);
  }
  return shown + looked.slice(position, Math.max(position, maximumCharacters));
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
  const texts = [secret, ...credentialsIn(secret)];
  const bytes = texts.flatMap((text) => [
    Buffer.from(text),
    ...(/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : []),
    ...(isBase64(text) ? [Buffer.from(text, 'base64')] : []),
  ]);
  return [...texts.flatMap(textForms), ...bytes.flatMap(byteForms)];
}

/**
 * The part of `Authorization` after its scheme (RFC 9110, section 11.4); for `Basic`, also its decoded content (RFC
 * 7617).
 */
function credentialsIn(secret: string): string[] {
  const [, scheme = '', credentials] = /^([A-Za-z][\w-]*) +(\S.*)$/.exec(secret) ?? [];
  if (credentials === undefined) return [];
  if (scheme.toLowerCase() !== 'basic' || !isBase64(credentials)) return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}

function textForms(text: string): string[] {
  const inUrl = encodeURIComponent(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  return [
    ...[text, text.toLowerCase(), text.toUpperCase()],
    ...[inUrl, inUrl.replace(/%../g, (percent) => percent.toLowerCase()), inUrl.replaceAll('%2F', '/')],
    new URLSearchParams([['', text]]).toString().slice(1),
    ...[inJson, inJson.replaceAll('/', '\\/'), inJson.replace(/[+&<>'"]/g, unicodeEscape)],
    inHtml(text),
  ];
}

/** Some JSON encoders escape the characters that are special in HTML. */
function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function inHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** Also inside the base64 of a longer text, where a secret may start at any of three positions of a group. */
function byteForms(bytes: Buffer): string[] {
  const within = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((8 * before) / 6), Math.floor((8 * (before + bytes.length)) / 6));
  });
  const whole = bytes.toString('base64');
  const base64 = [whole, whole.replaceAll('=', ''), ...within];
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [...base64, ...base64.map(encodeURIComponent), ...base64url, hex, hex.toUpperCase()];
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text);
}
