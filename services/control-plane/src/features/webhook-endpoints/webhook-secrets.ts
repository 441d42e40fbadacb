import { secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from '../../access/credentials';

/** Returns a new secret by which receivers verify events, as Standard Webhooks 1.0 writes symmetric secrets. */
export function newWebhookSecret(randomBytes: RandomBytes): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Encrypts the secrets of a webhook endpoint. Its methods throw `service_unavailable` if no key is configured. */
export class WebhookSecrets {
  constructor(
    private readonly secrets: Secrets,
    private readonly webhookEndpointId: string,
  ) {}

  sealSecret(secret: string): string {
    return this.secrets.encrypt(secretPlaces.webhookSecret(this.webhookEndpointId), secret);
  }

  /** Returns the encrypted values by name in lower case. */
  sealHeaders(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([sent, value]) => {
        const name = sent.toLowerCase();
        return [name, this.secrets.encrypt(secretPlaces.webhookHeader(this.webhookEndpointId, name), value)];
      }),
    );
  }
}
