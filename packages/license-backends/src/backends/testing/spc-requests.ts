export interface SpcRequest {
  body: Buffer;
  contentType: string;
}

const formType = 'application/x-www-form-urlencoded';
const boundary = '----FormBoundary7MA4YWxkTrZu0gW';

/** A multipart form with one field before `spc` and one after it. */
export function multipart(value: Buffer | string, parameters = ''): Buffer {
  const part = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`${part('assetId')}lesson-0042\r\n${part('spc', parameters)}`),
    Buffer.from(value),
    Buffer.from(`\r\n${part('device')}tv\r\n--${boundary}--\r\n`),
  ]);
}

/** One SPC in every encoding that players use, by name. */
export function spcRequests(spc: Buffer): Record<string, SpcRequest> {
  const encoded = spc.toString('base64');
  const url = spc.toString('base64url');
  const padded = encoded.replaceAll('+', '-').replaceAll('/', '_');
  const form = (text: string): SpcRequest => ({ body: Buffer.from(text), contentType: formType });
  const json = (value: string): SpcRequest => ({
    body: Buffer.from(JSON.stringify({ spc: value })),
    contentType: 'application/json',
  });
  const parts = (value: Buffer | string, parameters?: string): SpcRequest => ({
    body: multipart(value, parameters),
    contentType: `multipart/form-data; boundary=${boundary}`,
  });
  return {
    raw: { body: spc, contentType: 'application/octet-stream' },
    'a form': form(new URLSearchParams({ spc: encoded }).toString()),
    'a form with other fields': form(`assetId=a%20b&spc=${encodeURIComponent(encoded)}&device=tv`),
    'a form without encoding': form(`spc=${encoded}`),
    // Shaka Player, "FairPlay Support": `encodeURIComponent('spc=' + base64)`.
    'a form encoded as a whole': form(encodeURIComponent(`spc=${encoded}`)),
    'a form encoded twice': form(encodeURIComponent(`assetId=a&spc=${encodeURIComponent(encoded)}`)),
    'a form with a value encoded twice': form(`spc=${encodeURIComponent(encodeURIComponent(encoded))}`),
    'a form in base64url': form(`spc=${url}`),
    'a form in base64url with padding': form(`spc=${padded}`),
    JSON: json(encoded),
    'JSON in base64url': json(url),
    'JSON in base64url with padding': json(padded),
    'a multipart form in base64': parts(encoded),
    'a multipart form in base64url': parts(url),
    'a multipart form in bytes': parts(spc),
    'a multipart form in bytes, as a file': parts(spc, '; filename="blob"\r\nContent-Type: application/octet-stream'),
  };
}
