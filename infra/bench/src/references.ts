import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startRedis } from '@multi-drm/test-kit';
import type { Contender } from './contender';
import { pin, profileOptions, serverCore } from './cores';
import type { BenchRequest } from './load';
import { createBody, sessionOperations } from './session-server';

interface ReferenceProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a reference server in its own process, bound to the server's core, with a Redis of its own. */
async function startProcess(
  file: string,
  settings: Record<string, string> = {},
  profileFolder?: string,
): Promise<ReferenceProcess> {
  const redis = await startRedis({ appendOnly: true });
  const env = { ...settings, PATH: process.env.PATH, REDIS_URL: redis.url, NODE_ENV: 'production' };
  const child: ChildProcess = fork(join(__dirname, file), {
    env,
    cwd: __dirname, // where tsx is found
    execArgv: [...(file.endsWith('.ts') ? ['--import=tsx'] : []), ...profileOptions(profileFolder)],
  });
  const [port] = await once(child, 'message');
  pin(child.pid, serverCore);
  const stop = async (): Promise<void> => {
    child.kill();
    // A profile is written at the end of the process.
    await once(child, 'exit');
    await redis.stop();
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}

/** The floor; see `floor-process.ts`. With a folder for profiles, it writes a CPU profile there when it stops. */
export async function startFloor(licenseServerUrl: string, profileFolder?: string): Promise<Contender> {
  const process = await startProcess('floor-process.ts', { LICENSE_SERVER_URL: licenseServerUrl }, profileFolder);
  return {
    ...process,
    name: 'floor',
    ...sessionOperations<{ drm: { drmLicenseToken: string } }>({
      url: process.url,
      create: { path: '/sessions', headers: { 'content-type': 'application/json' }, body: createBody },
      requestOn: ({ drm }, operation) => {
        const headers = { authorization: `Bearer ${drm.drmLicenseToken}` };
        if (operation !== 'license') return { path: `/${operation}`, headers };
        const type = { 'content-type': 'application/octet-stream' };
        return { path: '/license', headers: { ...headers, ...type }, body: 'challenge'.repeat(200) };
      },
    }),
  };
}

/** oidc-provider, whose issue of a token is compared with the creation of a session. */
export async function startTokenIssuer(): Promise<Contender> {
  const form = { grant_type: 'client_credentials', client_id: 'backend', scope: 'play' };
  const secret = 'a secret of at least thirty-two characters';
  const issue: BenchRequest = {
    path: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form, client_secret: secret }).toString(),
  };
  return {
    ...(await startProcess('token-issuer-process.mjs')),
    name: 'oidc-provider',
    expected: { create: 200, renew: 200, license: 200, release: 200 },
    operations: ['create'],
    prepare: async () => [issue],
  };
}
