import { OutboundClient } from '@multi-drm/service-kit';
import type { OidcIssuer } from './oidc-issuers';

type OutboundOptions = ConstructorParameters<typeof OutboundClient>[0];

/** Far more than the keys of any provider need. */
const maximumDocumentBytes = 262_144;

/**
 * A client for reading identity providers' documents: it connects only to checked addresses and bounds the response
 * size.
 */
export function createIssuerClient(options: Pick<OutboundOptions, 'guard' | 'resolve'>): OutboundClient {
  return new OutboundClient({ ...options, maximumConnections: 4, maximumAnswerBytes: maximumDocumentBytes });
}

/**
 * Reads a document of an issuer. Plain http is allowed only if the operator configured it for the issuer. Throws
 * `OutboundFailure`, also for a refused address, and an error for any status but 200; redirects are not followed.
 */
export async function readIssuerDocument(
  client: OutboundClient,
  issuer: OidcIssuer,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<Response> {
  const httpAllowed = [issuer.issuer, issuer.jwksUri].some((text) => /^http:/i.test(text ?? ''));
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const { status, body } = await client.send({ method: 'GET', url, headers }, { signal, httpAllowed });
  client.closeIdle(); // the next fetch is minutes away: a kept-alive connection would be closed by then
  if (status !== 200) throw new Error(`the issuer answered a document request with ${status}`);
  return new Response(Uint8Array.from(body));
}
