import { OutboundClient } from '@multi-drm/service-kit';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import type { OidcIssuer } from './oidc-issuers';

type OutboundOptions = ConstructorParameters<typeof OutboundClient>[0];

/** Far more than the key set of any provider takes. */
const maximumDocumentBytes = 262_144;

/** Of one document, in milliseconds. */
const requestTimeout = 2_000;

const jsonWebKeySet = z.object({ keys: z.array(z.unknown()) });
const jsonWebKey = z.looseObject({ kty: z.string() });

/**
 * A client for reading identity providers' documents: it connects only to checked addresses and bounds the response
 * size.
 */
export function createIssuerClient(options: Pick<OutboundOptions, 'guard' | 'resolve'>): OutboundClient {
  return new OutboundClient({ ...options, maximumConnections: 4, maximumAnswerBytes: maximumDocumentBytes });
}

/**
 * Reads the keys of an issuer (JWK Set, RFC 7517). If the operator has not set their address, reads it from the issuer's discovery document
 * first. Throws if a document cannot be read or is not what it should be.
 */
export async function readIssuerKeys(client: OutboundClient, issuer: OidcIssuer): Promise<JSONWebKeySet> {
  const url = issuer.jwksUri ?? (await readKeysUrl(client, issuer));
  const { keys } = jsonWebKeySet.parse(await readDocument(client, issuer, url));
  // Entries that are not keys are ignored (RFC 7517, section 5).
  return { keys: keys.flatMap((key) => jsonWebKey.safeParse(key).data ?? []) };
}

async function readKeysUrl(client: OutboundClient, issuer: OidcIssuer): Promise<string> {
  const url = `${issuer.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await readDocument(client, issuer, url);
  const { issuer: said, jwks_uri } = z.object({ issuer: z.string(), jwks_uri: z.url() }).parse(document);
  // OpenID Connect Discovery 1.0, section 4.3: the document must name the same issuer.
  if (said !== issuer.issuer) throw new Error('discovery names another issuer');
  return jwks_uri;
}

/**
 * Plain http is allowed only if the operator configured it for the issuer. Throws `OutboundFailure`, also for a refused
 * address, and an error for any status but 200; redirects are not followed.
 */
async function readDocument(client: OutboundClient, issuer: OidcIssuer, url: string): Promise<unknown> {
  const httpAllowed = [issuer.issuer, issuer.jwksUri].some((text) => /^http:/i.test(text ?? ''));
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const signal = AbortSignal.timeout(requestTimeout);
  const { status, body } = await client.send({ method: 'GET', url, headers }, { signal, httpAllowed });
  client.closeIdle(); // the next fetch is minutes away: a kept-alive connection would be closed by then
  if (status !== 200) throw new Error(`the issuer answered a document request with ${status}`);
  return JSON.parse(body.toString('utf8'));
}
