import { formatMessages, formats, isText, isUuid } from './formats';

const accepts = (format: keyof typeof formats, value: string) => formats[format].validate(value);

describe('text', () => {
  test.each(['', 'Überschrift', '日本語', 'a\tb\r\nc', '👩‍👩‍👧', '\ud83d\ude00', '\u2028'])('may be %j', (value) => {
    expect(isText(value)).toBe(true);
  });

  test.each(['a\0', '\u0001', '\u001b[31m', '\u007f', '\u0085', '\ud83d', '\ude00', '\ude00\ud83d', 'a\ud800b'])(
    'may not be %j',
    (value) => {
      expect(isText(value)).toBe(false);
    },
  );
});

describe('text without visible characters', () => {
  test.each([
    ...[
      '\u200b',
      '\u200b\u200c\u200d',
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u200e\u200f',
      '\u202a\u202c',
      '\u2064',
      '\u061c',
    ],
    ...['\u034f', '\u115f', '\u1160', '\u17b4', '\u180e', '\u3164', '\uffa0', '\ufe0f', '\u2800', '\ufdd0', '\uffff'],
    ...['\u{e0001}\u{e0041}', '\u{1d173}', ' \u200b ', '\n\ufeff\u00a0', '\u2800\u3000'],
  ])('is invalid, even though it is not blank: %j', (value) => {
    expect(isText(value)).toBe(false);
  });

  test.each(['a\u200b', '\u00adx', '\u200f\u05d0', '\ufeffName', '✌\ufe0f', 'न\u200dम', '.', '️1️⃣', '\u0301'])(
    'does not include: %j',
    (value) => {
      expect(isText(value)).toBe(true);
    },
  );

  test.each(['', ' ', '\t\r\n', '\u00a0\u2003\u3000'])(
    'does not include white space, which schemas reject with a pattern: %j',
    (value) => {
      expect(isText(value)).toBe(true);
    },
  );

  test('may be a content id, which is compared byte by byte', () => {
    expect(accepts('content-id', '\u200b')).toBe(true);
  });
});

describe('content-id', () => {
  test('is measured in bytes of UTF-8', () => {
    expect(accepts('content-id', 'x'.repeat(200))).toBe(true);
    expect(accepts('content-id', 'x'.repeat(201))).toBe(false);
    expect(accepts('content-id', 'é'.repeat(100))).toBe(true);
    expect(accepts('content-id', `${'é'.repeat(100)}x`)).toBe(false);
    expect(accepts('content-id', '😀'.repeat(50))).toBe(true);
    expect(accepts('content-id', '😀'.repeat(51))).toBe(false);
  });

  test.each(['', 'a\0b', '\ud800', 'a\ud800'])('may not be %j', (value) => {
    expect(accepts('content-id', value)).toBe(false);
  });
});

describe('http-url', () => {
  test.each([
    'https://cdn.example/a.mpd',
    'http://localhost:8080',
    'HTTPS://CDN.EXAMPLE/%C3%A9?a=b&c[]=d#e',
    'https://[2001:db8::1]/a',
    'https://cdn.example/a@b:c',
  ])('may be %s', (value) => {
    expect(accepts('http-url', value)).toBe(true);
  });

  test.each([
    ...[
      '',
      'cdn.example',
      '//cdn.example',
      'ftp://cdn.example',
      'javascript:alert(1)',
      'https:cdn.example',
      'https://',
    ],
    ...[
      'https:///a',
      'https://user@cdn.example',
      'https://user:password@cdn.example',
      'https://@cdn.example',
      'https://:@cdn.example',
      'https://cdn.example:99999',
    ],
    ...['https://cdn.example/a b', ' https://cdn.example', 'https://cdn.example\n', 'https://cdn.example/\0'],
    ...[
      'https://cdn.example\\@evil.example',
      'https://bücher.example',
      'https://cdn.example/é',
      'https://cdn.example/%zz',
    ],
    ...['https://cdn.example/<a>', 'https://cdn.example/"', 'https://cdn.example/{a}'],
  ])('may not be %j', (value) => {
    expect(accepts('http-url', value)).toBe(false);
  });
});

describe('idn-email', () => {
  test.each([
    'ada@example.com',
    "a.b+c_d-e!#$%&'*/=?^`{|}~@EXAMPLE.com",
    'josé@example.com',
    'jose\u0301@example.com',
    'пошта@пошта.укр',
    'info@пошта.укр',
    'info@xn--80a1acn3a.xn--j1amh',
    '用户@例子.中国',
    'a@bücher.example',
    'نامه\u200cای@example.com',
    '😀@example.com',
    'a@127.1',
  ])('may be %s', (value) => {
    expect(accepts('idn-email', value)).toBe(true);
  });

  test.each([
    ...['', 'ada', '@', 'ada@', '@example.com', 'ada@localhost', 'пошта@укр', 'пошта.укр', 'a@b@example.com'],
    ...[
      'a b@example.com',
      'a\u00a0b@example.com',
      'a\tb@example.com',
      'a@exam ple.com',
      'a@exämple .com',
      'a@example.com\n',
    ],
    ...['.a@example.com', 'a.@example.com', 'a..b@example.com', 'é..b@example.com', 'a@.example.com', 'a@example.com.'],
    ...['a@-x.com', 'a@x-.com', 'a@ex_ample.com', 'a@exämple..com', 'a@-ä.com', 'a@xn--.ä.com', 'a@[127.0.0.1]'],
    ...[
      '"a b"@example.com',
      'a(b)@example.com',
      'a,b@example.com',
      'a<b>@example.com',
      'a\\b@example.com',
      'a:b@example.com',
    ],
    ...['a@exämple.com/path', 'a@exämple.com:25', 'a@exämple.com?x', 'a@exämple.com#x', 'a@ä%2ecom', 'a@\u200b.com'],
    ...['a\0@example.com', 'a\u0085@example.com', 'a\ud800@example.com', 'a@\ud800.com'],
  ])('may not be %j', (value) => {
    expect(accepts('idn-email', value)).toBe(false);
  });

  test('has a domain of at most 255 characters: the time to convert one grows with the square of its length', () => {
    const addressOfLength = (length: number) => `a@${'я.'.repeat((length - 2) / 2)}рф`;
    expect(accepts('idn-email', addressOfLength(254))).toBe(true);
    expect(accepts('idn-email', addressOfLength(256))).toBe(false);
    const scripts = Array.from({ length: 20_000 }, (_, nth) => String.fromCharCode(0x4e00 + ((nth * 7_919) % 20_000)));
    const before = process.cpuUsage();
    expect(accepts('idn-email', `a@${scripts.join('')}.com`)).toBe(false);
    // It took 400 milliseconds.
    expect(process.cpuUsage(before).user).toBeLessThan(200_000);
  });
});

describe('language-tag', () => {
  test.each([
    'en',
    'EN-us',
    'zh-Hant-TW',
    'de-1996',
    'sr-Latn-RS-x-private',
    'und',
    'sl-rozaj-biske',
    'zh-yue',
    'zh-cmn-Hans-CN',
    'es-419',
    'en-u-ca-gregory',
    'x-director',
  ])('may be %s', (value) => {
    expect(accepts('language-tag', value)).toBe(true);
  });

  test.each([
    '',
    'e',
    'en_US',
    'en-',
    '-en',
    'english language',
    'en US',
    'abcdefghi',
    'en-x',
    'x',
    'en-a',
    'en-GB-US',
    'en--GB',
    'en\n',
    'en\0',
    '*',
  ])('may not be %j', (value) => {
    expect(accepts('language-tag', value)).toBe(false);
  });
});

describe('uuid', () => {
  test.each([
    '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
    '5F0D2A51-0F0E-4D0B-9A53-0F9A4C1F2B77',
    '00000000-0000-0000-0000-000000000000',
  ])('may be %s', (value) => {
    expect(isUuid(value)).toBe(true);
  });

  test.each([
    '',
    '5f0d2a510f0e4d0b9a530f9a4c1f2b77',
    'urn:uuid:5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
    '{5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77}',
    '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77\n',
    '5g0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  ])('may not be %j', (value) => {
    expect(isUuid(value)).toBe(false);
  });
});

describe('date-time', () => {
  test.each([
    '2026-01-31T12:00:00Z',
    '2026-01-31t12:00:00.123456789z',
    '2024-02-29T23:59:59+14:00',
    '2000-02-29T00:00:00-00:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('may be %s', (value) => {
    expect(accepts('date-time', value)).toBe(true);
  });

  test.each([
    ...[
      '',
      'tomorrow',
      '2026-01-31',
      '2026-01-31T12:00Z',
      '2026-01-31T12:00:00',
      '2026-01-31 12:00:00Z',
      '20260131T120000Z',
    ],
    ...[
      '2026-02-30T12:00:00Z',
      '2026-04-31T12:00:00Z',
      '2025-02-29T12:00:00Z',
      '1900-02-29T12:00:00Z',
      '2026-13-01T12:00:00Z',
    ],
    ...[
      '2026-00-10T12:00:00Z',
      '2026-01-00T12:00:00Z',
      '2026-01-31T25:00:00Z',
      '2016-12-31T23:59:60Z',
      '2026-01-31T12:00:00+25:00',
    ],
    ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '+010000-01-01T00:00:00Z'],
    ...['2026-01-31T12:00:00Z\n', '2026-01-31T24:00:00Z'],
  ])('may not be %j', (value) => {
    expect(accepts('date-time', value)).toBe(false);
  });

  test('may be any output of Date', () => {
    expect(accepts('date-time', new Date(0).toISOString())).toBe(true);
  });
});

test('every format has a message', () => {
  expect(Object.keys(formatMessages)).toEqual(expect.arrayContaining(Object.keys(formats)));
});
