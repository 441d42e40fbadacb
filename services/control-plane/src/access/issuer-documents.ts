import { OutboundClient } from '@multi-drm/service-kit';
import type { OidcIssuer } from './oidc-issuers';

type OutboundOptions = ConstructorParameters<typeof OutboundClient>[0];

/** Far more than any provider's keys take. */
const maximumDocumentBytes = 262_144;

/** A client that identity providers' documents are read with: to checked addresses alone, of bounded size. */
export function createIssuerClient(options: Pick<OutboundOptions, 'guard' | 'resolve'>): OutboundClient {
  return new OutboundClient({ ...options, maximumConnections: 4, maximumAnswerBytes: maximumDocumentBytes });
}

/**
 * Reads a document of an issuer. Plain http is taken only where the operator wrote it into the issuer's settings. Throws
 * `OutboundFailure`, also for an address that is refused, and an error for any status but 200: a redirect is not followed.
 */
export async function readIssuerDocument(
  client: OutboundClient,
  issuer: OidcIssuer,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<Response> {
  const httpAllowed = [issuer.issuer, issuer.jwksUri].some((text) => /^http:/i.test(text ?? ''));
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const { status, body } = await client.send({ method: 'GET', url, headers }, { signal, httpAllowed });
  client.closeIdle(); // the next fetch is minutes away: a kept connection would break under it
  if (status !== 200) throw new Error(`a document of the issuer was answered with ${status}`);
  return new Response(Uint8Array.from(body));
}
