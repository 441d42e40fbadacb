import { SettingsError } from '@multi-drm/service-kit';
import type { Settings } from './settings';
import { parseKeys, type SigningKeys, withSigningKey } from './tokens/signing-keys';

type SigningKeySettings = Pick<
  Settings,
  'LICENSE_TOKEN_KEYS' | 'LICENSE_TOKEN_KEYS_FILE' | 'LICENSE_TOKEN_SIGNING_KEY_ID'
>;

/** Reads the keys of license tokens. Throws a `SettingsError` with the name of the setting to correct. */
export function signingKeysOf(settings: SigningKeySettings): SigningKeys {
  const source = settings.LICENSE_TOKEN_KEYS_FILE === undefined ? 'LICENSE_TOKEN_KEYS' : 'LICENSE_TOKEN_KEYS_FILE';
  const { LICENSE_TOKEN_SIGNING_KEY_ID: keyId } = settings;
  const keys = naming(source, () => parseKeys(settings.LICENSE_TOKEN_KEYS));
  return naming(keyId === undefined ? source : 'LICENSE_TOKEN_SIGNING_KEY_ID', () => withSigningKey(keys, keyId));
}

/** Adds the name of the setting to an error, whose message contains no value and which has no cause. */
function naming<Result>(variable: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error ? new SettingsError([`${variable}: ${error.message}`]) : error;
  }
}
