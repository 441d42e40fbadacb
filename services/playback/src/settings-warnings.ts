import { settingsWarnings } from '@multi-drm/service-kit';
import { type Settings, settingNames } from './settings';

/** A sentence for each setting with which playback can run, but probably not as was meant. */
export function playbackWarnings(settings: Settings, environment: Record<string, string | undefined>): string[] {
  const withoutSecretKeys = 'licenses that need a content key or a secret of a license backend will be refused.';
  return settingsWarnings({ environment, known: settingNames, settings, withoutSecretKeys });
}
