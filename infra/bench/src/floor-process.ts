import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import { Redis } from 'ioredis';
import { sign, verify } from 'jsonwebtoken';

/**
 * The floor: what a session costs at least. A bare Express server that does the same work naively: JSON in and out, one Lua script on
 * Redis, one ES256 token, and for a license one outbound request. Settings: REDIS_URL, LICENSE_SERVER_URL.
 */

const lifetimeSeconds = 14_400;
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKey = createPrivateKey(keys.privateKey.export({ format: 'pem', type: 'pkcs8' }));
const publicKey = createPublicKey(keys.publicKey.export({ format: 'pem', type: 'spki' }));

const scripts = {
  /** Takes one of the viewer's two slots. */
  reserve: `
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
    if redis.call('ZCARD', KEYS[1]) >= 2 then return 0 end
    redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
    redis.call('HSET', KEYS[2], 'record', ARGV[4])
    redis.call('PEXPIREAT', KEYS[1], ARGV[2])
    redis.call('PEXPIREAT', KEYS[2], ARGV[2])
    return 1`,
  renew: `
    if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return false end
    redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
    redis.call('PEXPIREAT', KEYS[1], ARGV[2])
    redis.call('PEXPIREAT', KEYS[2], ARGV[2])
    return redis.call('HGET', KEYS[2], 'record')`,
  release: `
    redis.call('ZREM', KEYS[1], ARGV[1])
    return redis.call('DEL', KEYS[2])`,
};

const redis = new Redis(process.env.REDIS_URL ?? '');
for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 2, lua });
const run = (name: keyof typeof scripts, subject: string, sessionId: string, ...values: (string | number)[]) =>
  (redis as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[name]?.(
    `{floor:${subject}}:slots`,
    `{floor:${subject}}:${sessionId}`,
    sessionId,
    ...values,
  );

function answer(sessionId: string, subject: string, expiresAt: number) {
  const token = sign({ sid: sessionId, sub: subject, policy: { maximumHeight: 1080 } }, privateKey, {
    algorithm: 'ES256',
    keyid: 'floor',
    expiresIn: lifetimeSeconds,
  });
  return {
    contractVersion: 1,
    sessionId,
    manifestUrl: 'https://cdn.example.com/lesson/manifest.mpd',
    expiresAt: new Date(expiresAt).toISOString(),
    drm: { system: 'widevine', licenseServerUrl: 'https://playback.example.com/license', drmLicenseToken: token },
    policy: { maximumHeight: 1080, allowedTrackTypes: ['AUDIO', 'SD', 'HD'], maximumConcurrentStreams: 2 },
  };
}

interface Claims {
  sid: string;
  sub: string;
}

const claimsOf = ({ headers }: Request): Claims =>
  verify((headers.authorization ?? '').slice('Bearer '.length), publicKey, {
    algorithms: ['ES256'],
  }) as unknown as Claims;

function askLicenseServer(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(process.env.LICENSE_SERVER_URL ?? '', { method: 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    });
    request.on('error', reject).end(body);
  });
}

const app = express();
app.post('/sessions', express.json(), async (request, response) => {
  const sessionId = randomUUID();
  const expiresAt = Date.now() + lifetimeSeconds * 1_000;
  const record = JSON.stringify(request.body);
  const taken = await run('reserve', request.body.subject, sessionId, expiresAt, Date.now(), record);
  if (taken === 1) response.json(answer(sessionId, request.body.subject, expiresAt));
  else response.status(429).json({ code: 'concurrent_stream_limit_reached' });
});
app.post('/renew', async (request, response) => {
  const { sid, sub } = claimsOf(request);
  const expiresAt = Date.now() + lifetimeSeconds * 1_000;
  const record = await run('renew', sub, sid, expiresAt);
  if (record === null) response.status(404).end();
  else response.json(answer(sid, sub, expiresAt));
});
app.post('/license', express.raw(), async (request, response) => {
  const { sid, sub } = claimsOf(request);
  const record = await run('renew', sub, sid, Date.now() + lifetimeSeconds * 1_000);
  if (record === null) response.status(404).end();
  else response.type('application/octet-stream').send(await askLicenseServer(request.body as Buffer));
});
app.post('/release', async (request, response) => {
  const { sid, sub } = claimsOf(request);
  await run('release', sub, sid);
  response.status(204).end();
});
const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('SIGTERM', () => process.exit(0)); // so that a profile is written
process.once('disconnect', () => process.exit(0));
