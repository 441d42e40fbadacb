import type { PlaybackSchemas } from '@multi-drm/contracts';
import { endpoint } from '../access/access';

/** GET /.well-known/jwks.json: the public keys that verify license tokens. */
export const getJsonWebKeySet = (keys: PlaybackSchemas['JsonWebKeySet']) =>
  endpoint({
    operationId: 'getJsonWebKeySet',
    access: 'public',
    async handle() {
      return { status: 200, body: keys, headers: { 'Cache-Control': 'public, max-age=300' } };
    },
  });
