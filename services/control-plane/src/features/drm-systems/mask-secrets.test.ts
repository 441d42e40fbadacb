import { maskSecrets } from './mask-secrets';

const text = 'a secret/+key?';
const hex = '00ff10abcdef';
const base64 = Buffer.from([251, 255, 1, 2, 3, 250]).toString('base64');

test.each([
  ['verbatim', text, text],
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
  [
    'in a URL with lower-case escapes',
    text,
    encodeURIComponent(text).replaceAll('%2F', '%2f').replaceAll('%2B', '%2b').replaceAll('%3F', '%3f'),
  ],
  ['in a form', text, 'a+secret%2F%2Bkey%3F'],
  ['in JSON with every slash escaped', text, 'a secret\\/+key?'],
  ['in a URL with its slash unescaped', text, 'a%20secret/%2Bkey%3F'],
  ['in JSON with Unicode escapes', 'p+q&r<s', 'p\\u002Bq\\u0026r\\u003Cs'],
  ['in HTML', 'p&q<r', 'p&amp;q&lt;r'],
  ['of credentials without their scheme', 'Bearer abc.def', 'abc.def'],
  ['of Basic credentials, decoded', `Basic ${Buffer.from('admin:hunter2/long').toString('base64')}`, 'hunter2/long'],
])('a secret %s is masked', (_form, secret, sent) => {
  expect(maskSecrets(`<${sent}|${sent}>`, [secret], 1000)).toBe('<[secret]|[secret]>');
});

test('a secret that contains another one is masked as a whole', () => {
  expect(maskSecrets('token=abcdef', ['abc', 'abcdef'], 100)).toBe('token=[secret]');
});

test('text that is not secret stays', () => {
  expect(maskSecrets('the key is wrong', [text, hex, ''], 100)).toBe('the key is wrong');
});

test.each(['', 'x', 'xy'])(
  'a secret after "%s" in longer base64 is masked except for letters that it shares',
  (before) => {
    const sent = Buffer.from(`${before}${text} and more`).toString('base64');
    const masked = maskSecrets(sent, [text], 100);
    expect(masked).toContain('[secret]');
    expect(Buffer.from(masked.replace('[secret]', '|').split('|')[1] ?? '', 'base64').toString()).not.toContain('key');
  },
);

test('overlapping secrets are masked together', () => {
  expect(maskSecrets('-abcdef-', ['abcd', 'cdef'], 100)).toBe('-[secret]-');
});

test('only the first characters are shown, and a secret across the cut is masked as a whole', () => {
  expect(maskSecrets('0123456789', ['none'], 4)).toBe('0123');
  expect(maskSecrets('01-secret-89', ['-secret-'], 4)).toBe('01[secret]');
  expect(maskSecrets('01-secret-89', ['-secret-'], 2)).toBe('01');
});

test('the cost of masking depends on the shown part only, whatever the secrets and however long the text', () => {
  const secrets = ['s', 'e', 'c', 'r', 't', '[', ']'];
  expect(maskSecrets('s'.repeat(1_000_000), secrets, 2_000)).toBe('[secret]'.repeat(2_000));
  expect(maskSecrets(`[secret]${'x'.repeat(1_000_000)}`, secrets, 10)).toBe(`${'[secret]'.repeat(8)}xx`);
});
