import { readFileSync } from 'node:fs';
import { parseSettings, SettingsError, serviceSettings, setting } from '@multi-drm/service-kit';
import { z } from 'zod';

const schema = serviceSettings.extend({
  PORT: setting.port.default(8081),
  REDIS_URL: setting.url(['redis:', 'rediss:']),
  /** Where players and backends reach this service: the base of every URL in an answer. */
  PLAYBACK_PUBLIC_URL: setting.httpUrl
    .refine((url) => !/[?#]/.test(url), 'must have neither a query nor a fragment, since paths are appended to it')
    .refine((url) => url.length <= 200, 'must have at most 200 characters, since every license token carries it')
    .transform(withoutSlashesAtTheEnd),
  API_CLIENT_HEADER_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be letters, digits and hyphens')
    .default('X-SERVICE'),
  /** A JWK Set of private P-256 keys, or the path of a file that holds one. */
  LICENSE_TOKEN_KEYS: z.string().optional(),
  LICENSE_TOKEN_KEYS_FILE: z.string().optional(),
  LICENSE_TOKEN_SIGNING_KEY_ID: z.string().optional(),
  LICENSE_TOKEN_BACKDATE_SECONDS: setting.integer(0, 3600).default(60),
  SESSION_ID_RETENTION_SECONDS: setting.integer(86_400, 31_536_000).default(86_400),
  IDEMPOTENT_REPEAT_SECONDS: setting.integer(1, 3600).default(120),
  /** Keys that license backends' secrets and content keys are published under: those of the control plane. */
  SECRET_KEYS: setting.secretKeys,
  /** Hosts and networks that license backends may lie at although they are no public addresses: names, addresses, CIDRs. */
  OUTBOUND_ALLOWED_HOSTS: setting.allowedHosts,
  LICENSE_BACKEND_TIMEOUT_MILLISECONDS: setting.integer(100, 60_000).default(5_000),
  /** To the license backend of one DRM system in one environment; twice as many requests wait for one. */
  LICENSE_BACKEND_CONNECTIONS: setting.integer(1, 10_000).default(64),
  /** Proxies whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: setting.trustedProxies,
  /** Calls of one API client; absent: any number. */
  API_CLIENT_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).optional(),
  /** Calls from one address without a valid credential: those of API clients, and by themselves those of players. */
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(600),
  /** Of those, calls with one and the same client id. */
  REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: setting.integer(1, 10_000_000).default(60),
  /** Calls of the FairPlay certificate without a license token from one address, which very many players may share. */
  CERTIFICATE_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(6_000),
  /** Calls of one organization under way at once, and those of one environment's players; the others wait their turn. */
  ORGANIZATION_REQUESTS_AT_ONCE: setting.integer(1, 10_000).default(8),
  /** Renewals, and license requests, of one session. */
  SESSION_REQUESTS_PER_MINUTE: setting.integer(1, 1_000_000).default(60),
});

export type Settings = Omit<z.infer<typeof schema>, 'LICENSE_TOKEN_KEYS' | 'LICENSE_TOKEN_KEYS_FILE'> & {
  LICENSE_TOKEN_KEYS: string;
};

/** Reads the settings once. Throws a `SettingsError` that lists every fault. */
export function loadSettings(environment: Record<string, string | undefined>): Settings {
  const { LICENSE_TOKEN_KEYS: keys, LICENSE_TOKEN_KEYS_FILE: file, ...settings } = parseSettings(schema, environment);
  if ((keys === undefined) === (file === undefined)) {
    throw new SettingsError(['LICENSE_TOKEN_KEYS or LICENSE_TOKEN_KEYS_FILE: exactly one of the two is required']);
  }
  return { ...settings, LICENSE_TOKEN_KEYS: keys ?? readKeys(file ?? '') };
}

function withoutSlashesAtTheEnd(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SettingsError([`LICENSE_TOKEN_KEYS_FILE: cannot be read (${code})`]);
  }
}
