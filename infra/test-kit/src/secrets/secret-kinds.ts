import { hostileStrings } from '../fuzzing/hostile-texts';

/** The kinds of secrets that a test run remembers, to search its logs and dumps for them. */
export const secretKinds = [
  'management key',
  'access key',
  'operator key',
  'license backend secret',
  'content key',
  'key of SECRET_KEYS',
  'private key of license tokens',
  'Redis password',
  'webhook secret',
] as const;

export type SecretKind = (typeof secretKinds)[number];

export interface Secret {
  kind: SecretKind;
  value: string;
}

/** Settings of license backends are named so; in `secretHeaders`, also of webhook endpoints, each value is secret. */
const backendSecret = /(?:Key|Iv|Secret|Password)$|^secretHeaders$/;

/** Returns what a member of a request holds if its name is that of a secret. Keys with a known prefix need no name. */
export function kindOfMember(name: string): SecretKind | undefined {
  if (name === 'key') return 'content key';
  if (name === 'secret') return 'webhook secret';
  return backendSecret.test(name) ? 'license backend secret' : undefined;
}

const prefixes: ReadonlyMap<string, SecretKind> = new Map([
  ['mk', 'management key'],
  ['ak', 'access key'],
  ['op', 'operator key'],
  ['whsec', 'webhook secret'],
]);
/** Distinguishes content keys from members named `key` in customers' free-form data. */
const contentKey = /^[0-9a-f]{32}$/i;
/** Fuzzing generates secrets such as 32 zeros or 64 times `x`, which also appear in numbers and in other texts and would match by chance. */
const fewestCharacters = 4;
/** Longer than the visible prefix of a management key. */
const prefixed = /^(mk|ak|op|whsec)_[\w+/-]{16,}=?$/;

/** Returns the secrets in the body of a request; none if it is not JSON. */
export function secretsOfRequest(body: string): Secret[] {
  return secretsOf(parse(body), kindOfMember);
}

/** Returns the keys that the body of a response shows once. Its other members contain no secrets. */
export function secretsOfAnswer(body: string): Secret[] {
  return secretsOf(parse(body));
}

/** Returns the secrets in header values, without their scheme. */
export function secretsOfHeaders(values: readonly string[]): Secret[] {
  return values.flatMap((value) => secretsOf(value.slice(value.lastIndexOf(' ') + 1)));
}

/** Returns the secrets in the settings of a service. */
export function secretsOfSettings(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  const { SECRET_KEYS = '', LICENSE_TOKEN_KEYS = '', REDIS_PASSWORD, REDIS_SENTINEL_PASSWORD } = environment;
  const passwords = [REDIS_PASSWORD, REDIS_SENTINEL_PASSWORD].filter((value) => value !== undefined);
  const keys = SECRET_KEYS.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1));
  const signing = [...LICENSE_TOKEN_KEYS.matchAll(/"d"\s*:\s*"([\w-]+)"/g)].map(([, value = '']) => value);
  return [
    ...keys.map((value): Secret => ({ kind: 'key of SECRET_KEYS', value })),
    ...signing.map((value): Secret => ({ kind: 'private key of license tokens', value })),
    ...passwords.map((value): Secret => ({ kind: 'Redis password', value })),
  ];
}

/** Not recursive, because suites send JSON that is nested deeper than the stack. */
function secretsOf(body: unknown, kindOf: typeof kindOfMember = () => undefined): Secret[] {
  const found: Secret[] = [];
  const open: { value: unknown; within: SecretKind | undefined }[] = [{ value: body, within: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, within } = next;
    if (typeof value === 'string') {
      const kind = prefixes.get(prefixed.exec(value)?.[1] ?? '') ?? within;
      if (kind !== undefined && maybeSecret(kind, value)) found.push({ kind, value });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        open.push({ value: member, within: kindOf(name) ?? within });
      }
    }
  }
  return found;
}

function maybeSecret(kind: SecretKind, value: string): boolean {
  if (new Set(value).size < fewestCharacters || hostileStrings.has(value)) return false;
  return kind !== 'content key' || contentKey.test(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
