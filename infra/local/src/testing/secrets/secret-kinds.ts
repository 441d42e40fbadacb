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
export const secretMembers: Readonly<Record<string, SecretKind>> = {
  signingKey: 'license backend secret',
  signingIv: 'license backend secret',
  communicationKey: 'license backend secret',
  sharedSecret: 'license backend secret',
  siteKey: 'license backend secret',
  accessKey: 'license backend secret',
  secretHeaders: 'license backend secret',
  key: 'content key',
};

const prefixes: Readonly<Record<string, SecretKind>> = { mk: 'management key', ak: 'access key', op: 'operator key' };
/** Longer than the beginning of a management key that stays visible. */
const prefixed = /^(mk|ak|op)_[\w-]{16,}$/;

/** The secrets in the body of a request or an answer; none where it is no JSON. */
export function secretsOfBody(body: string): Secret[] {
  try {
    return secretsOf(JSON.parse(body));
  } catch {
    return [];
  }
}

/** The secrets in the values of headers, with and without a scheme before them. */
export function secretsOfHeaders(values: readonly string[]): Secret[] {
  return values.flatMap((value) => secretsOf(value.slice(value.lastIndexOf(' ') + 1)));
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

function secretsOf(value: unknown, within?: SecretKind): Secret[] {
  if (typeof value === 'string') {
    const prefix = prefixed.exec(value)?.[1];
    const kind = prefix === undefined ? within : prefixes[prefix];
    return kind === undefined ? [] : [{ kind, value }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => secretsOf(member, secretMembers[name] ?? within));
}
