import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { setting } from '../settings';

export interface RedisAddress {
  host: string;
  port: number;
}

export interface RedisCredentials {
  /** Absent: the user `default`. */
  username?: string;
  password?: string;
}

interface RedisAccess {
  /** Of the servers that hold the data. */
  credentials: RedisCredentials;
  /** How every connection is encrypted; absent if it is not. `ca`: the certificates to trust, in PEM; absent for those of Node. */
  tls?: { ca?: string };
}

/** The Redis servers of both services: one, a primary that Sentinels name, or a Redis Cluster. */
export type RedisServers = RedisAccess &
  (
    | { kind: 'single'; url: string }
    | {
        kind: 'sentinel';
        sentinels: RedisAddress[];
        primaryName: string;
        sentinelCredentials: RedisCredentials;
      }
    /** `nodes`: the nodes that a client asks for the others. */
    | { kind: 'cluster'; nodes: RedisAddress[] }
  );

/** The setting that says where the servers are. */
export const settingOf = { single: 'REDIS_URL', sentinel: 'REDIS_SENTINELS', cluster: 'REDIS_CLUSTER' } as const;

/** One Redis at this URL. */
export function redisAt(url: string): RedisServers {
  return { kind: 'single', url, credentials: {}, ...(isEncrypted(url) ? { tls: {} } : {}) };
}

const protocols = ['redis:', 'rediss:'];
const isEncrypted = (url: string) => url.toLowerCase().startsWith('rediss:');

interface Addresses {
  addresses: RedisAddress[];
  encrypted: boolean;
}

/** URLs with nothing but a host and a port, separated by commas; all encrypted, or none. */
const addresses = (defaultPort: number) =>
  z.string().transform((text, context): Addresses => {
    const urls = text.split(',').map((part) => part.trim());
    const invalid = (message: string) => context.addIssue({ code: 'custom', message });
    for (const [index, url] of urls.entries()) {
      if (!/^rediss?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?\/?$/i.test(url) || !URL.canParse(url)) {
        invalid(`entry ${index + 1} must be redis://host:port or rediss://host:port`);
        return z.NEVER;
      }
    }
    if (new Set(urls.map(isEncrypted)).size > 1) invalid('must have redis: in every entry, or rediss: in every entry');
    return {
      addresses: urls.map((url) => {
        const { hostname, port } = new URL(url);
        return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
      }),
      encrypted: urls.some(isEncrypted),
    };
  });

/** A setting that names a file of certificates in PEM. Its value is the content of the file. */
const certificates = z.string().transform((file, context) => {
  try {
    const text = readFileSync(file, 'utf8');
    // Throws for anything but a certificate.
    new X509Certificate(text);
    return text;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no certificate';
    context.addIssue({ code: 'custom', message: `is not a readable file of certificates in PEM (${reason})` });
    return z.NEVER;
  }
});

const variables = z.object({
  REDIS_URL: setting.url(protocols).optional(),
  REDIS_SENTINELS: addresses(26_379).optional(),
  /** The name under which the Sentinels know the primary. */
  REDIS_PRIMARY_NAME: z.string().optional(),
  REDIS_SENTINEL_USERNAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_CLUSTER: addresses(6_379).optional(),
  REDIS_USERNAME: z.string().optional(),
  REDIS_PASSWORD: z.string().optional(),
  REDIS_CA_FILE: certificates.optional(),
});

type Variables = z.infer<typeof variables>;

export const redisSettingNames = Object.keys(variables.shape);

/** The settings of both services that say which Redis to use. They are combined into `redis`. */
export const redisSettings = variables.transform((values, context) => {
  for (const [variable, message] of contradictionsOf(values)) {
    context.addIssue({ code: 'custom', path: [variable], message });
  }
  const servers = serversOf(values);
  if (servers !== undefined) return { redis: servers };
  context.addIssue({
    code: 'custom',
    path: ['REDIS_URL'],
    message: 'is required, unless REDIS_SENTINELS or REDIS_CLUSTER is set',
  });
  return z.NEVER;
});

/** Each with the variable to correct. */
function contradictionsOf(values: Variables): [variable: keyof Variables, message: string][] {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_CLUSTER: cluster } = values;
  const found: [keyof Variables, string][] = [];
  const [first, second] = Object.values(settingOf).filter((variable) => values[variable] !== undefined);
  if (first !== undefined && second !== undefined) found.push([second, `must not be set together with ${first}`]);
  if (sentinels !== undefined && values.REDIS_PRIMARY_NAME === undefined) {
    found.push(['REDIS_PRIMARY_NAME', 'is required with REDIS_SENTINELS']);
  }
  for (const variable of ['REDIS_PRIMARY_NAME', 'REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'] as const) {
    if (values[variable] !== undefined && sentinels === undefined) found.push([variable, 'needs REDIS_SENTINELS']);
  }
  if (values.REDIS_USERNAME !== undefined && values.REDIS_PASSWORD === undefined) {
    found.push(['REDIS_USERNAME', 'needs REDIS_PASSWORD']);
  }
  if (values.REDIS_SENTINEL_USERNAME !== undefined && values.REDIS_SENTINEL_PASSWORD === undefined) {
    found.push(['REDIS_SENTINEL_USERNAME', 'needs REDIS_SENTINEL_PASSWORD']);
  }
  if (values.REDIS_PASSWORD !== undefined && url !== undefined && new URL(url).password !== '') {
    found.push(['REDIS_PASSWORD', 'must not be set if REDIS_URL contains a password']);
  }
  const encrypted = (sentinels ?? cluster)?.encrypted ?? (url !== undefined && isEncrypted(url));
  if (values.REDIS_CA_FILE !== undefined && !encrypted) {
    found.push(['REDIS_CA_FILE', `needs rediss: in ${first ?? settingOf.single}`]);
  }
  return found;
}

function serversOf(values: Variables): RedisServers | undefined {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_CLUSTER: cluster, REDIS_CA_FILE: ca } = values;
  const credentials = credentialsOf(values.REDIS_USERNAME, values.REDIS_PASSWORD);
  const access = (encrypted: boolean): RedisAccess => ({
    credentials,
    ...(encrypted ? { tls: ca === undefined ? {} : { ca } } : {}),
  });
  if (url !== undefined) return { kind: 'single', url, ...access(isEncrypted(url)) };
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster.addresses, ...access(cluster.encrypted) };
  if (sentinels === undefined) return undefined;
  return {
    kind: 'sentinel',
    sentinels: sentinels.addresses,
    primaryName: values.REDIS_PRIMARY_NAME ?? '',
    sentinelCredentials: credentialsOf(values.REDIS_SENTINEL_USERNAME, values.REDIS_SENTINEL_PASSWORD),
    ...access(sentinels.encrypted),
  };
}

function credentialsOf(username: string | undefined, password: string | undefined): RedisCredentials {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}
