// A reference from outside: oidc-provider, which issues an ES256 token for client credentials on Redis. Setting: REDIS_URL.
import { generateKeyPairSync } from 'node:crypto';
import { Redis } from 'ioredis';
import Provider from 'oidc-provider';

const redis = new Redis(process.env.REDIS_URL ?? '');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Stores what oidc-provider keeps, as its documentation describes adapters. */
class RedisAdapter {
  constructor(name) {
    this.name = name;
  }
  #key(id) {
    return `oidc:${this.name}:${id}`;
  }
  async upsert(id, payload, expiresIn) {
    await redis.set(this.#key(id), JSON.stringify(payload), 'EX', expiresIn);
  }
  async find(id) {
    const stored = await redis.get(this.#key(id));
    return stored === null ? undefined : JSON.parse(stored);
  }
  async findByUid() {}
  async findByUserCode() {}
  async consume() {}
  async destroy(id) {
    await redis.del(this.#key(id));
  }
  async revokeByGrantId() {}
}

const resource = 'https://playback.example.com';
const provider = new Provider('https://issuer.example.com', {
  adapter: RedisAdapter,
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' }] },
  ttl: { ClientCredentials: 3_600 },
  // The client is in Redis, which is read with every request.
  clients: [],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: 'play',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3_600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
await new RedisAdapter('Client').upsert(
  'backend',
  {
    client_id: 'backend',
    client_secret: 'a secret of at least thirty-two characters',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_post',
    id_token_signed_response_alg: 'ES256',
  },
  86_400,
);
const server = provider.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.once('disconnect', () => process.exit(0));
