import type { BackendSettings } from './backend-descriptor';
import { backendDescriptors } from './backend-descriptors';

/** Settings of a license backend in the API's form: strings and maps of headers. */
export type SettingValues = Record<string, string | Record<string, string>>;

/** Separates the secret settings of a license backend from the others. `type` is in neither. */
export function splitSettings({ type, ...settings }: BackendSettings): { open: SettingValues; secret: SettingValues } {
  const secrets: readonly string[] = backendDescriptors[type].secrets;
  // Safe: the OpenAPI document lists the settings of each type.
  const entries = Object.entries(settings as SettingValues);
  const isSecret = ([name]: [string, unknown]) => secrets.includes(name);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter(isSecret)),
  };
}
