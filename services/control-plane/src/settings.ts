import {
  isText,
  parseSettings,
  redisSettingNames,
  redisSettings,
  requireDistinctPorts,
  serviceSettings,
  setting,
} from '@multi-drm/service-kit';
import { z } from 'zod';
import { oidcIssuers } from './access/oidc-issuers';
import { parseOperatorKeys } from './access/operator-keys';
import { databaseUrlSetting } from './database/database-url-setting';

const operatorKeys = z.string().transform((text, context) => {
  const { keys, errors } = parseOperatorKeys(text);
  for (const message of errors) context.addIssue({ code: 'custom', message });
  return keys;
});

const tasks = ['api', 'publish', 'events', 'webhooks'] as const;

type Task = (typeof tasks)[number];

const isTask = (text: string): text is Task => tasks.some((task) => task === text);

const taskList = z.string().transform((text, context) => {
  const listed = text.split(',').map((task) => task.trim());
  if (listed.every(isTask)) return listed;
  context.addIssue({ code: 'custom', message: `must be some of ${tasks.join(', ')}, separated by commas` });
  return z.NEVER;
});

const retrySeconds = z.string().transform((text, context) => {
  const listed = text.split(',').map((pause) => pause.trim());
  const pauses = listed.map(Number);
  const areValid =
    listed.every((pause) => /^\d{1,5}$/.test(pause)) && pauses.every((pause) => pause >= 1 && pause <= 86_400);
  if (areValid && pauses.length <= 20) return pauses;
  context.addIssue({ code: 'custom', message: 'must be up to 20 numbers from 1 to 86400, separated by commas' });
  return z.NEVER;
});

const [minute, hour] = [60, 3_600];

const ownSettings = serviceSettings.extend({
  PORT: setting.port.default(8080),
  DATABASE_URL: databaseUrlSetting,
  /** Keys of the platform operator: `name:sha256hex[,name:sha256hex…]`. */
  OPERATOR_KEYS: operatorKeys.default([]),
  /** Without a key, nothing that holds a secret can be configured. Playback needs the same keys. */
  SECRET_KEYS: setting.secretKeys,
  /** Whether companies may register themselves. */
  REGISTRATION: z.enum(['open', 'approval', 'paused'], { error: 'must be open, approval or paused' }).optional(),
  /** In production, a registration waits for the operator's approval unless REGISTRATION says otherwise. */
  NODE_ENV: z.string().optional(),
  /** Registrations that an address may attempt per hour. */
  REGISTRATIONS_PER_HOUR: setting.integer(1, 1_000_000).default(60),
  /** Identity providers whose tokens are accepted: a JSON array. */
  OIDC_ISSUERS: oidcIssuers.default([]),
  /**
   * Hosts and networks that issuers and license backends may use although their addresses are not public: names,
   * addresses, CIDRs.
   */
  OUTBOUND_ALLOWED_HOSTS: setting.allowedHosts,
  /** Timeout of a test request to a license backend. */
  LICENSE_BACKEND_TIMEOUT_MILLISECONDS: setting.integer(100, 60_000).default(5_000),
  /** How long the ids of sessions that are terminated here are remembered: as long as at playback. */
  SESSION_ID_RETENTION_SECONDS: setting.integer(86_400, 31_536_000).default(86_400),
  /** Proxies whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: setting.trustedProxies,
  /** Hosts and networks that webhooks may use although their addresses are not public, also over http: names, addresses, CIDRs. */
  WEBHOOK_ALLOWED_HOSTS: setting.allowedHosts,
  /** How long after the first failed attempt to deliver a webhook, the second one and so on it is sent again. */
  WEBHOOK_RETRY_SECONDS: retrySeconds.default([
    ...[5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  ]),
  /** What this process does: `api` answers calls, `publish` publishes to Redis, `events` stores events, `webhooks` delivers them. */
  CONTROL_PLANE_TASKS: taskList.default([...tasks]),
  /** How long events are kept. */
  EVENT_RETENTION_DAYS: setting.integer(2, 3_650).default(30),
  /** Requests of one organization, over all of its keys and people. */
  ORGANIZATION_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(6_000),
  /** Requests of one organization that run at the same time; the others wait. */
  ORGANIZATION_REQUESTS_AT_ONCE: setting.integer(1, 1_000).default(1),
  /** Requests from one address whose credentials were refused. */
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: setting.integer(1, 10_000_000).default(600),
  /** Of those, requests with the same credential. */
  REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: setting.integer(1, 10_000_000).default(60),
  /** The agreement version that a registration must accept. */
  SERVICE_AGREEMENT_VERSION: z
    .string()
    .max(64, 'must have at most 64 characters')
    .refine(isText, 'must not contain control characters')
    .default('2026-01'),
  /** Where to read the agreement. */
  SERVICE_AGREEMENT_URL: setting.httpUrl.optional(),
});

const schema = ownSettings.superRefine(requireDistinctPorts).and(redisSettings);

/** Every environment variable that the service reads. */
export const settingNames = [...Object.keys(ownSettings.shape), ...redisSettingNames];

export type Settings = Omit<z.infer<typeof schema>, 'REGISTRATION'> & {
  REGISTRATION: 'open' | 'approval' | 'paused';
};

/** Reads the settings of the control plane from environment variables. Throws `SettingsError`. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const settings = parseSettings(schema, environment);
  const byDefault = settings.NODE_ENV === 'production' ? 'approval' : 'open';
  return { ...settings, REGISTRATION: settings.REGISTRATION ?? byDefault };
}
