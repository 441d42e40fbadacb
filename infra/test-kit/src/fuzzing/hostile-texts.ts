/** JSON texts, and bytes that are not JSON, to put in place of a value in the body. */
export const hostileTexts: (string | Buffer)[] = [
  ...['null', 'true', '0', '-0', '-1', '0.5', '1e999', '-1e999', '1e-400', '2147483648', '9007199254740993', '1e21'],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\u001b[31m"',
    '"\\ufeff"',
    '"\\u202e"',
  ],
  ...['"__proto__"', '"constructor"', '"toString"', '"NaN"', '"1"', '"$\\u007b7*7}{{7*7}}"', '"\'; DROP TABLE x;--"'],
  ...[
    '"../../etc/passwd"',
    '"%00"',
    '"*"',
    '"\\r\\nX-Injected: 1"',
    '"0000-00-00T00:00:00Z"',
    '"9999-12-31T24:00:00Z"',
  ],
  ...['[]', '{}', '[null]', '[[]]', '{"":0}', '[1,"a",{}]', '{"__proto__":{"polluted":true}}', '{"a":1,"a":2}'],
  ...[
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"toString":1,"hasOwnProperty":1,"length":-1}',
    '{"$ref":"#"}',
  ],
  ...[
    '{"then":1}',
    '{"type":"Buffer","data":[0]}',
    '{"toJSON":1}',
    '',
    'undefined',
    'NaN',
    "'a'",
    '01',
    '{"a":}',
    '[1,]',
  ],
  ...[31, 40, 5_000].flatMap((depth) => [
    '['.repeat(depth) + ']'.repeat(depth),
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ]),
  `"${'x'.repeat(20_000)}"`,
  `"${'😀'.repeat(3_000)}"`,
  '9'.repeat(400),
  `[${Array(1_500).fill('0').join()}]`,
  `"${'x'.repeat(70_000)}"`,
  Buffer.from('22c3282222', 'hex'), // a truncated UTF-8 sequence
  Buffer.from('22eda08022', 'hex'), // an encoded surrogate
  Buffer.from('22c0af22', 'hex'), // an overlong encoding
  Buffer.from('2200ff22', 'hex'),
];

/** The strings among them. One may be sent in place of a secret and in place of a name. */
export const hostileStrings: ReadonlySet<unknown> = new Set(
  hostileTexts.flatMap((text) => (typeof text === 'string' && /^".*"$/s.test(text) ? [JSON.parse(text)] : [])),
);
