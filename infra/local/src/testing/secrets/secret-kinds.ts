/** What a test run remembers, to search its logs and dumps for it. */
export const secretKinds = [
  'management key',
  'access key',
  'operator key',
  'license backend secret',
  'content key',
  'key of SECRET_KEYS',
  'private key of license tokens',
] as const;

export type SecretKind = (typeof secretKinds)[number];

export interface Secret {
  kind: SecretKind;
  value: string;
}

/**
 * Members of the OpenAPI documents whose values are secrets, beside the keys that their prefix tells; of `secretHeaders` each
 * value is one. A test holds this list against the documents.
 */
export const secretMembers: ReadonlyMap<string, SecretKind> = new Map([
  ['signingKey', 'license backend secret'],
  ['signingIv', 'license backend secret'],
  ['communicationKey', 'license backend secret'],
  ['sharedSecret', 'license backend secret'],
  ['siteKey', 'license backend secret'],
  ['accessKey', 'license backend secret'],
  ['secretHeaders', 'license backend secret'],
  ['key', 'content key'],
]);
const noMembers: typeof secretMembers = new Map();

const prefixes: ReadonlyMap<string, SecretKind> = new Map([
  ['mk', 'management key'],
  ['ak', 'access key'],
  ['op', 'operator key'],
]);
/** Members called `key` are found in what customers may choose freely, too. */
const contentKey = /^[0-9a-f]{32}$/i;
/** Fuzzing draws keys such as 32 zeros, which stand in numbers of a dump, too: they tell nothing. */
const fewestDigits = 4;
/** Longer than the beginning of a management key that stays visible. */
const prefixed = /^(mk|ak|op)_[\w-]{16,}$/;

/** The secrets in the body of a request; none where it is no JSON. */
export function secretsOfRequest(body: string): Secret[] {
  return secretsOf(parse(body), secretMembers);
}

/** The keys that the body of an answer shows this once. Its other members hold no secret: those of a problem are texts. */
export function secretsOfAnswer(body: string): Secret[] {
  return secretsOf(parse(body), noMembers);
}

/** The secrets in the values of headers, without a scheme before them. */
export function secretsOfHeaders(values: readonly string[]): Secret[] {
  return values.flatMap((value) => secretsOf(value.slice(value.lastIndexOf(' ') + 1), noMembers));
}

/** The secrets in the settings of a service. */
export function secretsOfSettings(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  const { SECRET_KEYS = '', LICENSE_TOKEN_KEYS = '' } = environment;
  const keys = SECRET_KEYS.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1));
  const signing = [...LICENSE_TOKEN_KEYS.matchAll(/"d"\s*:\s*"([\w-]+)"/g)].map(([, value = '']) => value);
  return [
    ...keys.map((value): Secret => ({ kind: 'key of SECRET_KEYS', value })),
    ...signing.map((value): Secret => ({ kind: 'private key of license tokens', value })),
  ];
}

/** Without recursion: suites send JSON that is nested deeper than the stack. */
function secretsOf(body: unknown, members: typeof secretMembers): Secret[] {
  const found: Secret[] = [];
  const open: { value: unknown; within: SecretKind | undefined }[] = [{ value: body, within: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, within } = next;
    if (typeof value === 'string') {
      const kind = prefixes.get(prefixed.exec(value)?.[1] ?? '') ?? within;
      if (kind !== undefined && (kind !== 'content key' || isContentKey(value))) found.push({ kind, value });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        open.push({ value: member, within: members.get(name) ?? within });
      }
    }
  }
  return found;
}

function isContentKey(value: string): boolean {
  return contentKey.test(value) && new Set(value).size >= fewestDigits;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
