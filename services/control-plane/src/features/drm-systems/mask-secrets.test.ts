import { maskSecrets } from './mask-secrets';

const text = 'a secret/+key?';
const hex = '00ff10abcdef';
const base64 = Buffer.from([251, 255, 1, 2, 3, 250]).toString('base64');

test.each([
  ['as it is', text, text],
  ['in capitals', text, text.toUpperCase()],
  ['in base64', text, Buffer.from(text).toString('base64')],
  ['in base64 without padding', text, Buffer.from(text).toString('base64').replaceAll('=', '')],
  ['in base64url', text, Buffer.from(text).toString('base64url')],
  ['in hex', text, Buffer.from(text).toString('hex')],
  ['in a URL', text, encodeURIComponent(text)],
  ['in JSON', 'with "quotes"', JSON.stringify('with "quotes"').slice(1, -1)],
  ['of hex in capitals', hex, hex.toUpperCase()],
  ['of hex as bytes in base64', hex, Buffer.from(hex, 'hex').toString('base64')],
  ['of base64 as bytes in hex', base64, Buffer.from(base64, 'base64').toString('hex')],
  ['of base64 in base64url', base64, Buffer.from(base64, 'base64').toString('base64url')],
  ['of base64 in a URL', base64, encodeURIComponent(base64)],
])('a secret %s is masked', (_form, secret, sent) => {
  expect(maskSecrets(`<${sent}|${sent}>`, [secret])).toBe('<[secret]|[secret]>');
});

test('a secret that holds another one is masked whole', () => {
  expect(maskSecrets('token=abcdef', ['abc', 'abcdef'])).toBe('token=[secret]');
});

test('what is no secret stays', () => {
  expect(maskSecrets('the key is wrong', [text, hex, ''])).toBe('the key is wrong');
});
