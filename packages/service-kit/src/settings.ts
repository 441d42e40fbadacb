import { z } from 'zod';
import { canBeTrusted } from './http/client-address';
import { formatMessages, formats } from './http/formats';
import { parseAllowList } from './outbound/allow-list';
import { parseSecretKeys } from './secrets/secret-keys';

/** Every fault of a process's settings at once; the message names variables, never their values. */
export class SettingsError extends Error {
  constructor(readonly faults: string[]) {
    super(`Settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads settings once from environment variables; an empty variable counts as absent. Throws `SettingsError`. */
export function parseSettings<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new SettingsError(
    result.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)),
  );
}

const integer = (minimum: number, maximum: number) =>
  z
    .string({ error: 'is required' })
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

/**
 * Keys that secrets are stored and published under: `keyId:base64 of 32 bytes[,…]`. The first encrypts, all decrypt.
 * Absent: none.
 */
const secretKeys = z
  .string()
  .transform((text, context) => {
    const { keys, faults } = parseSecretKeys(text);
    for (const message of faults) context.addIssue({ code: 'custom', message });
    return keys;
  })
  .default([]);

/** Hosts that may be called although they are no public addresses, separated by commas. Absent: none. */
const allowedHosts = z
  .string()
  .transform((text, context) => {
    const { allowed, faults } = parseAllowList(text);
    for (const message of faults) context.addIssue({ code: 'custom', message });
    return allowed;
  })
  .prefault('');

/** Kinds of settings that several schemas use. */
export const setting = {
  integer,
  port: integer(1, 65_535),
  secretKeys,
  allowedHosts,
  url: (protocols: string[]) =>
    z
      .string({ error: 'is required' })
      .refine(
        (text) => URL.canParse(text) && protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`)),
        `must be an absolute URL with ${protocols.join(' or ')}`,
      ),
  /** What callers are shown or sent to: an http or https URL that holds no credentials. */
  httpUrl: z.string({ error: 'is required' }).refine(formats['http-url'].validate, formatMessages['http-url']),
  /** Addresses or networks, or `loopback`, separated by commas; for Express' `trust proxy`. */
  trustedProxies: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(canBeTrusted, 'must be addresses, networks such as 10.0.0.0/8, or `loopback`, separated by commas')
    .default([]),
};

/** The settings of every service. Durations are milliseconds where their names do not say otherwise. */
export const serviceSettings = z.object({
  HOST: z.string().default('0.0.0.0'),
  LOG_LEVEL: z
    .enum(['error', 'warn', 'info', 'debug'], { error: 'must be error, warn, info or debug' })
    .default('info'),
  /** Where Prometheus reads metrics, on HOST, too: `GET /metrics`. Absent: nowhere. */
  METRICS_PORT: setting.port.optional(),
  /** How long a connection is kept open without a request: longer than load balancers keep theirs. */
  KEEP_ALIVE_SECONDS: integer(1, 3_600).default(65),
  SHUTDOWN_DELAY_MILLISECONDS: integer(0, 600_000).default(5_000),
  SHUTDOWN_GRACE_MILLISECONDS: integer(0, 600_000).default(20_000),
});
