/** Bytes: the largest body that a service accepts, and nearly the most that Node accepts for all headers and the path. */
export const bodyBytes = 65_535;
export const headerBytes = 15_000;

const filled = (part: string, bytes: number) => part.repeat(Math.max(0, Math.floor(bytes / part.length)));

/** Returns as many generated parts as fit, separated by commas. */
function listed(part: (nth: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let length = 0; ; ) {
    const next = part(parts.length);
    length += next.length + 1;
    if (length > bytes) return parts.join(',');
    parts.push(next);
  }
}

/** Texts on which regular expressions and parsers may backtrack repeatedly before they fail. */
export const stubbornTexts: Record<string, (bytes: number) => string> = {
  'blanks before a letter': (bytes) => `${filled(' ', bytes - 1)}a`,
  'tabs before a brace': (bytes) => `${filled('\t', bytes - 1)}{`,
  letters: (bytes) => `${filled('a', bytes - 1)}!`,
  digits: (bytes) => `${filled('1', bytes - 1)}x`,
  zeros: (bytes) => `1${filled('0', bytes - 2)}x`,
  hyphens: (bytes) => `${filled('a-', bytes - 1)}!`,
  'a language tag': (bytes) => `xx-a${filled('-aaa0xa00', bytes - 5)}!`,
  dots: (bytes) => `${filled('a.', bytes - 1)}!`,
  'an e-mail address': (bytes) => `${filled('a.', bytes / 2 - 2)}a@${filled('a.', bytes / 2 - 2)}!`,
  'at signs': (bytes) => `${filled('@', bytes - 1)}!`,
  'a URL': (bytes) => `https://${filled('a.', bytes - 9)} `,
  'a URL with user information': (bytes) => `https://${filled('a:@', bytes - 9)} `,
  'a URL with dots': (bytes) => `https://a/${filled('../', bytes - 11)} `,
  'percent signs': (bytes) => filled('%', bytes),
  slashes: (bytes) => `${filled('/', bytes - 1)}x`,
  'slashes and tildes': (bytes) => filled('~1/', bytes),
  quotes: (bytes) => `${filled('"', bytes / 2)}x`, // each is escaped in JSON
  commas: (bytes) => `${filled(',', bytes - 1)}x`,
  'equals signs': (bytes) => `${filled('=', bytes - 1)}x`,
  base64: (bytes) => `${filled('AAAA', bytes - 2)}=x`,
};

/** Bodies that are costly for a JSON parser and for code that walks through its values. */
export const worstJson: Record<string, string> = {
  'tabs and a brace': `${'\t'.repeat(bodyBytes - 1)}{`,
  'tabs within an object': `{${'\t'.repeat(bodyBytes - 2)}}`,
  'line feeds': '\n'.repeat(bodyBytes),
  'unclosed arrays': '['.repeat(bodyBytes),
  'nested arrays': `${'['.repeat(bodyBytes / 2)}${']'.repeat(bodyBytes / 2)}`,
  'nested objects': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'many members': `{${listed((nth) => `"${nth}":1`, bodyBytes - 2)}}`,
  'one member many times': `{${listed(() => '"a":1', bodyBytes - 2)}}`,
  'names that lead to prototypes': `{${listed(() => '"__proto__":1', bodyBytes - 2)}}`,
  'as many unknown members as a body may have': `{${listed((nth) => `"${nth}":1`, 13_000)}}`,
  'long names of unknown members': `{${listed((nth) => `"${nth}${'~1/'.repeat(10)}":{}`, bodyBytes - 2)}}`,
  'long numbers': `[${listed(() => '1'.repeat(30), bodyBytes - 2)}]`,
  ones: `[${listed(() => '1', bodyBytes - 2)}]`,
  'as many long numbers as a body may have': `{"a":[${listed(() => '1'.repeat(30), 1_990 * 31)}]}`,
  'empty arrays': `[${listed(() => '[]', bodyBytes - 2)}]`,
  'a text of escapes': `"${'\\u0000'.repeat(bodyBytes / 6 - 1)}"`,
  'a text of backslashes': `{"a":"${'\\\\'.repeat(bodyBytes / 2 - 4)}"}`,
  'a long number': `{"a":${'1'.repeat(bodyBytes - 6)}}`,
  'a long fraction': `{"a":0.${'0'.repeat(bodyBytes - 9)}1}`,
  'a long exponent': `{"a":1e${'9'.repeat(bodyBytes - 8)}}`,
  'commas only': ','.repeat(bodyBytes),
  'lone surrogates': `{"a":"${'\\ud800'.repeat(bodyBytes / 6 - 2)}"}`,
};

/** Returns bodies with these members, each as long as fits, that may be costly for their schemas and later checks. */
export function worstMembers(members: string[]): Record<string, string> {
  const body = (value: string) => `{${members.map((name) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const bytes = Math.floor(bodyBytes / members.length) - 40;
  // A body may have 2,000 values.
  const count = Math.floor(1_900 / members.length);
  const list = (part: (nth: number) => string, values: number) =>
    Array.from({ length: values }, (_, nth) => part(nth)).join(',');
  return {
    ...Object.fromEntries(
      Object.entries(stubbornTexts).map(([name, make]) => [
        `${name} in every member`,
        body(JSON.stringify(make(bytes))),
      ]),
    ),
    'different objects in every member': body(`[${list((nth) => `{"a":${nth}}`, count / 2)}]`),
    'different texts in every member': body(`[${list((nth) => `"${nth}"`, count)}]`),
    'nested lists in every member': body(
      `${'['.repeat(25)}${list(() => '{}', Math.max(1, count - 30))}${']'.repeat(25)}`,
    ),
    'maps in every member': body(`{${list((nth) => `"${nth}":null`, count)}}`),
  };
}
