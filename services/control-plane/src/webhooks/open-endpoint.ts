import { secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { LeasedEndpoint } from './endpoint-leases';
import type { Destination } from './webhook-sender';

type StoredEndpoint = Pick<LeasedEndpoint, 'id' | 'url' | 'secret' | 'previousSecret' | 'secretHeaders'>;

/** Returns where and with what to send, in the clear. Throws if a secret cannot be decrypted. */
export function openEndpoint(
  secrets: Secrets,
  { id, url, secret, previousSecret, secretHeaders }: StoredEndpoint,
): Destination {
  const signing = [secret, ...(previousSecret === null ? [] : [previousSecret])];
  const headers = Object.entries(secretHeaders).map(([name, value]) => [
    name,
    secrets.decrypt(secretPlaces.webhookHeader(id, name), value),
  ]);
  return {
    url,
    secrets: signing.map((text) => secrets.decrypt(secretPlaces.webhookSecret(id), text)),
    headers: Object.fromEntries(headers),
  };
}
