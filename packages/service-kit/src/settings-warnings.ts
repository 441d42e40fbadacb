import { misspelledSettings } from './misspelled-settings';
import type { SecretKey } from './secrets/secret-keys';

/** Values of NODE_ENV that Node's ecosystem knows. With any other, a service does not know that it runs in production. */
const usualEnvironments = ['production', 'development', 'test'];

interface StartedWith {
  environment: Record<string, string | undefined>;
  /** The names of all settings of the service. */
  known: readonly string[];
  settings: { NODE_ENV?: string | undefined; SECRET_KEYS: readonly SecretKey[] };
  /** What cannot be done without SECRET_KEYS, as a sentence. */
  withoutSecretKeys: string;
}

/** What an operator should know of settings with which a service can run, but probably not as was meant: a sentence each. */
export function settingsWarnings({ environment, known, settings, withoutSecretKeys }: StartedWith): string[] {
  const { NODE_ENV: mode, SECRET_KEYS: secretKeys } = settings;
  return [
    ...misspelledSettings(environment, known),
    ...(mode === undefined || usualEnvironments.includes(mode)
      ? []
      : ['NODE_ENV is none of production, development and test: set it to production where this is not a trial']),
    ...(secretKeys.length > 0
      ? []
      : [
          `SECRET_KEYS is not set: ${withoutSecretKeys} Set the same id:key, 32 random bytes in base64, at both services`,
        ]),
  ];
}
