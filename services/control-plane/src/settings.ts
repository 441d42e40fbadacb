import { isText, parseSettings, serviceSettings, setting } from '@multi-drm/service-kit';
import { z } from 'zod';
import { parseOperatorKeys } from './access/operator-keys';

const operatorKeys = z.string().transform((text, context) => {
  const { keys, faults } = parseOperatorKeys(text);
  for (const message of faults) context.addIssue({ code: 'custom', message });
  return keys;
});

const schema = serviceSettings.extend({
  PORT: setting.port.default(8080),
  DATABASE_URL: setting.url(['postgresql:', 'postgres:']),
  REDIS_URL: setting.url(['redis:', 'rediss:']),
  /** Keys of the platform operator: `name:sha256hex[,name:sha256hex…]`. */
  OPERATOR_KEYS: operatorKeys.default([]),
  /** Whether companies may register themselves. */
  REGISTRATION: z.enum(['open', 'paused'], { error: 'must be open or paused' }).default('open'),
  /** The version that a registration must accept. */
  SERVICE_AGREEMENT_VERSION: z
    .string()
    .max(64, 'must have at most 64 characters')
    .refine(isText, 'must not contain control characters')
    .default('2026-01'),
  /** Where the agreement can be read. */
  SERVICE_AGREEMENT_URL: setting.url(['https:', 'http:']).optional(),
});

export type Settings = z.infer<typeof schema>;

/** Reads the settings of the control plane from environment variables. Throws `SettingsError`. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  return parseSettings(schema, environment);
}
