import { readFileSync } from 'node:fs';
import {
  parseSettings,
  redisSettingNames,
  redisSettings,
  requireDistinctPorts,
  SettingsError,
  serviceSettings,
  setting,
} from '@multi-drm/service-kit';
import { z } from 'zod';

const ownSettings = serviceSettings.extend({
  PORT: setting.port.default(8081),
  /** Where players and customer backends reach this service: the base of every URL in a response. */
  PLAYBACK_PUBLIC_URL: setting.httpUrl
    .refine((url) => !/[?#]/.test(url), 'must not have a query or fragment, because paths are appended to it')
    .refine((url) => url.length <= 200, 'must have at most 200 characters, because every license token contains it')
    .transform(withoutTrailingSlashes),
  /** In production, PLAYBACK_PUBLIC_URL must be one that players can reach. */
  NODE_ENV: z.string().optional(),
  /** Accepts a PLAYBACK_PUBLIC_URL in production that only this machine can use, or that is not encrypted. */
  ALLOW_INSECURE_PUBLIC_URL: setting.flag,
  API_CLIENT_HEADER_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be letters, digits and hyphens')
    .default('X-SERVICE'),
  LICENSE_TOKEN_SIGNING_KEY_ID: z.string().optional(),
  LICENSE_TOKEN_BACKDATE_SECONDS: setting.integer(0, 3600).default(60),
  SESSION_ID_RETENTION_SECONDS: setting.integer(86_400, 31_536_000).default(86_400),
  IDEMPOTENT_REPEAT_SECONDS: setting.integer(1, 3600).default(120),
  /** The keys that encrypt license backends' secrets and content keys: the same as the control plane's. */
  SECRET_KEYS: setting.secretKeys,
  /** Non-public hosts and networks where license backends are allowed: names, addresses or CIDRs. */
  OUTBOUND_ALLOWED_HOSTS: setting.allowedHosts,
  LICENSE_BACKEND_TIMEOUT_MILLISECONDS: setting.integer(100, 60_000).default(5_000),
  /** Connections per environment and DRM system; up to twice as many requests wait for one. */
  LICENSE_BACKEND_CONNECTIONS: setting.integer(1, 10_000).default(64),
  /** Memory of Redis for events of slots that were not read yet; a quarter of it more for refusals and licenses. 0: none are reported. */
  EVENT_BUFFER_MEBIBYTES: setting.integer(0, 65_536).default(256),
  /** Proxies whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: setting.trustedProxies,
  /** Calls of one API client; unlimited if absent. */
  API_CLIENT_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).optional(),
  /** Sessions that an organization whose plan does not limit its streams may start, in each process; unlimited if absent. */
  UNLIMITED_PLAN_STARTS_PER_MINUTE: setting.integer(1, 100_000_000).optional(),
  /** Releases of ids that the service does not know, by one API client; each takes up to 130 bytes of Redis for a day. */
  UNKNOWN_RELEASES_PER_MINUTE: setting.integer(1, 10_000_000).default(600),
  /** Calls from one address without a valid credential, counted separately for API clients and players. */
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(600),
  /** Calls without valid credentials with the same client id. */
  REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: setting.integer(1, 10_000_000).default(60),
  /** Requests for the FairPlay certificate without a license token from one address, which many players may share. */
  CERTIFICATE_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(6_000),
  /** Concurrent calls of one organization's API clients, and of the players behind one address; further calls wait their turn. */
  ORGANIZATION_REQUESTS_AT_ONCE: setting.integer(1, 10_000).default(4),
  /** Renewals, and separately license requests, of one session. */
  SESSION_REQUESTS_PER_MINUTE: setting.integer(1, 1_000_000).default(60),
});

/** A JWK Set of private P-256 keys, or the path of a file that holds one. */
const tokenKeySettings = z
  .object({ LICENSE_TOKEN_KEYS: z.string().optional(), LICENSE_TOKEN_KEYS_FILE: z.string().optional() })
  .refine(
    ({ LICENSE_TOKEN_KEYS: keys, LICENSE_TOKEN_KEYS_FILE: file }) => (keys === undefined) !== (file === undefined),
    'LICENSE_TOKEN_KEYS or LICENSE_TOKEN_KEYS_FILE: set exactly one of them',
  );

const schema = ownSettings
  .superRefine(requireDistinctPorts)
  .superRefine(requirePublicUrl)
  .and(tokenKeySettings)
  .and(redisSettings);

/** Every environment variable that the service reads. */
export const settingNames = [
  ...Object.keys(ownSettings.shape),
  ...Object.keys(tokenKeySettings.shape),
  ...redisSettingNames,
];

export type Settings = Omit<z.infer<typeof schema>, 'LICENSE_TOKEN_KEYS'> & {
  /** Also if they were read from LICENSE_TOKEN_KEYS_FILE. */
  LICENSE_TOKEN_KEYS: string;
};

/** Parses the settings. Throws a `SettingsError` that lists every invalid setting. */
export function loadSettings(environment: Record<string, string | undefined>): Settings {
  const { LICENSE_TOKEN_KEYS: keys, ...settings } = parseSettings(schema, environment);
  return { ...settings, LICENSE_TOKEN_KEYS: keys ?? readKeys(settings.LICENSE_TOKEN_KEYS_FILE ?? '') };
}

/** Host names that mean whatever machine asks (RFC 6761, section 6.3), as `URL` spells them. */
const thisMachine = /(?:^|\.)localhost\.?$|^127(?:\.\d{1,3}){3}$|^0\.0\.0\.0$|^\[::1?\]$/;

/** Players cannot reach a URL of this machine, and browsers do not let an encrypted page call one that is not encrypted. */
function requirePublicUrl(settings: z.infer<typeof ownSettings>, context: z.RefinementCtx): void {
  const { NODE_ENV, PLAYBACK_PUBLIC_URL, ALLOW_INSECURE_PUBLIC_URL } = settings;
  if (NODE_ENV !== 'production' || ALLOW_INSECURE_PUBLIC_URL) return;
  // Text that is not a URL has been refused by now.
  if (!URL.canParse(PLAYBACK_PUBLIC_URL)) return;
  const { protocol, hostname } = new URL(PLAYBACK_PUBLIC_URL);
  if (protocol === 'https:' && !thisMachine.test(hostname)) return;
  const message =
    'must be an https URL that players can reach, because NODE_ENV is production; ' +
    'to try the service on this machine, set ALLOW_INSECURE_PUBLIC_URL=true';
  context.addIssue({ code: 'custom', path: ['PLAYBACK_PUBLIC_URL'], message });
}

function withoutTrailingSlashes(url: string): string {
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
