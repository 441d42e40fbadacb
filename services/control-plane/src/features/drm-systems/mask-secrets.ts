const mask = '[secret]';

/**
 * The text without any of the secrets, in each form that a server may send them back in: as they are, in base64, base64url or
 * hex, in a URL, in JSON; keys written in hex or base64 also as the bytes that they stand for.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  // A form may be part of another one.
  forms.sort((one, other) => other.length - one.length);
  return forms.reduce((masked, form) => masked.replaceAll(form, mask), text);
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
