import { settingsWarnings } from '@multi-drm/service-kit';
import { type Settings, settingNames } from './settings';

/** A sentence for each setting with which the control plane can run, but probably not as was meant. */
export function controlPlaneWarnings(settings: Settings, environment: Record<string, string | undefined>): string[] {
  const withoutSecretKeys = 'content keys and license backends with secrets cannot be stored.';
  const isProduction = settings.NODE_ENV === 'production';
  return [
    ...settingsWarnings({ environment, known: settingNames, settings, withoutSecretKeys }),
    ...(settings.REGISTRATION === 'approval' && settings.OPERATOR_KEYS.length === 0
      ? ['OPERATOR_KEYS is not set, so nobody can approve a registration: set it, or REGISTRATION to open or paused']
      : []),
    ...(isProduction ? settings.OIDC_ISSUERS.flatMap(unencryptedUrls) : []),
  ];
}

function unencryptedUrls({ issuer, jwksUri }: Settings['OIDC_ISSUERS'][number], index: number): string[] {
  const urls = { issuer, jwksUri };
  return Object.entries(urls)
    .filter(([, url]) => url?.toLowerCase().startsWith('http:'))
    .map(
      ([member]) =>
        `OIDC_ISSUERS.${index}.${member} begins with http:, so that its keys can be replaced on the way: use https:`,
    );
}
