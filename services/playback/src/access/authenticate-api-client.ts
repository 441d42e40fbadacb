import { hash, timingSafeEqual } from 'node:crypto';
import { type ApiClientDocument, Problem } from '@multi-drm/contracts';
import type { Catalog } from '../catalog/catalog';

// The hash that is compared if the client does not exist, so that an unknown client id takes as long as a wrong access key.
const noHash = '0'.repeat(64);

/** Returns the known hash that belongs to this access key; undefined if there is none. Always compares all of them. */
function matchingHash(accessKey: string, hashes: string[]): string | undefined {
  const given = hash('sha256', accessKey, 'buffer');
  return hashes.filter((known) => timingSafeEqual(given, Buffer.from(known, 'hex')))[0];
}

/** The hashes of the current access keys and, during the overlap of a rotation, of the previous key. */
function validHashes({ accessKeyHashes, previousAccessKey: previous }: ApiClientDocument, now: Date): string[] {
  return previous !== null && Date.parse(previous.validUntil) > now.getTime()
    ? [...accessKeyHashes, previous.hash]
    : accessKeyHashes;
}

/** Records each use of an access key, by its hash. Calls do not wait for it. */
export interface ClientUses {
  note(clientId: string, accessKeyHash: string): void;
}

/** The credentials in a request's headers; undefined if the header is missing. */
export interface ClientCredentials {
  clientId: string | undefined;
  accessKey: string | undefined;
}

/**
 * Returns the API client with these credentials. Throws `client_authentication_failed`, with the same message for every reason, so
 * that it does not reveal which client ids exist.
 */
export async function authenticateApiClient(
  catalog: Pick<Catalog, 'apiClient'>,
  credentials: ClientCredentials,
  now: () => Date,
  uses: ClientUses,
): Promise<ApiClientDocument> {
  const { clientId = '', accessKey = '' } = credentials;
  const client = clientId === '' ? null : await catalog.apiClient(clientId);
  const matching = matchingHash(accessKey, client === null ? [noHash] : validHashes(client, now()));
  const expired = client?.expiresAt != null && Date.parse(client.expiresAt) <= now().getTime();
  if (client === null || matching === undefined || expired) {
    throw new Problem('client_authentication_failed', 'The client id or the access key is not valid.');
  }
  uses.note(client.clientId, matching);
  return client;
}
