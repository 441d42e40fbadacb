import { z } from 'zod';
import { canBeTrusted } from './http/client-address';
import { formatMessages, formats } from './http/formats';
import { parseAllowList } from './outbound/allow-list';
import { parseSecretKeys } from './secrets/secret-keys';

/** Reports all errors in a process's settings together. The message names variables, never their values. */
export class SettingsError extends Error {
  constructor(readonly issues: string[]) {
    super(`Invalid settings:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Parses environment variables; an empty variable counts as absent. Throws `SettingsError`. */
export function parseSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present, { error: messageOf });
  if (result.success) return result.data;
  throw new SettingsError(
    result.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)),
  );
}

/** The text for what a schema has no message of its own for. Never shows a value. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be of the type ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.join(' or ')}`;
    case 'unrecognized_keys':
      return `has members that are not known: ${issue.keys.join(', ')}`;
    case 'too_small':
      return issue.minimum === 1 ? 'must not be empty' : undefined;
    case 'invalid_format':
      return issue.format === 'guid' ? 'must be a UUID' : undefined;
    default:
      return undefined;
  }
}

const integer = (minimum: number, maximum: number) =>
  z
    .string({ error: 'is required' })
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

/**
 * Keys that encrypt stored and published secrets: `keyId:base64 of 32 bytes[,…]`. The first encrypts; all decrypt.
 * Absent: none.
 */
const secretKeys = z
  .string()
  .transform((text, context) => {
    const { keys, errors } = parseSecretKeys(text);
    for (const message of errors) context.addIssue({ code: 'custom', message });
    return keys;
  })
  .default([]);

/** Hosts that may be called although their addresses are not public, separated by commas. Absent: none. */
const allowedHosts = z
  .string()
  .transform((text, context) => {
    const { allowed, errors } = parseAllowList(text);
    for (const message of errors) context.addIssue({ code: 'custom', message });
    return allowed;
  })
  .prefault('');

/** Settings shared by several schemas. */
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
  /** A URL for callers to see or visit: http or https, without credentials. */
  httpUrl: z.string({ error: 'is required' }).refine(formats['http-url'].validate, formatMessages['http-url']),
  flag: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .default(false),
  /** Addresses, networks or `loopback`, separated by commas; for Express' `trust proxy`. */
  trustedProxies: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(canBeTrusted, 'must be addresses, networks such as 10.0.0.0/8, or `loopback`, separated by commas')
    .default([]),
};

/** Settings of every service. Durations are in milliseconds unless their names say otherwise. */
export const serviceSettings = z.object({
  /** Absent: every address of the machine, IPv6 and IPv4. */
  HOST: z.string().optional(),
  LOG_LEVEL: z
    .enum(['error', 'warn', 'info', 'debug'], { error: 'must be error, warn, info or debug' })
    .default('info'),
  /** Port of `GET /metrics` for Prometheus, on HOST. Absent: not served. */
  METRICS_PORT: setting.port.optional(),
  /** How long an idle connection is kept open; must exceed the idle timeout of load balancers. */
  KEEP_ALIVE_SECONDS: integer(1, 3_600).default(65),
  SHUTDOWN_DELAY_MILLISECONDS: integer(0, 600_000).default(5_000),
  SHUTDOWN_GRACE_MILLISECONDS: integer(0, 600_000).default(20_000),
});

/** Refuses a port for the metrics on which the service itself listens; for `superRefine`. */
export function requireDistinctPorts(
  settings: { PORT: number; METRICS_PORT?: number | undefined },
  context: z.RefinementCtx,
): void {
  if (settings.PORT !== settings.METRICS_PORT) return;
  context.addIssue({ code: 'custom', path: ['METRICS_PORT'], message: 'must differ from PORT' });
}
