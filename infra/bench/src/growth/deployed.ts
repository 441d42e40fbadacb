import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startRedisCluster } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { credentialsOf, send } from '@multi-drm/test-kit/services/customer';
import { secretKeys } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { coreOfProcess, pin } from '../cores';
import { createRequest, startDeployment } from '../deployment';
import type { BenchRequest } from '../load';
import { createBody } from '../session-server';
import { filledApiClient, fillRecords } from './fill-records';
import { publishRecords } from './publish-records';
import { MeasuredRedis } from './redis-figures';

/** How large a deployment is. */
export interface Size {
  /** Active sessions of other viewers while requests are measured. */
  sessions: number;
  /** How many sessions each measured viewer starts. */
  slots: number;
  /** Published contents, end users and API clients, each this many, that the requests use in turn. */
  documents: number;
  /** Of playback. */
  processes: number;
  /** Servers with data: 1, or 3 for a cluster. */
  redisServers: 1 | 3;
}

/** A deployment of a size, filled and ready for requests. */
export interface Deployed {
  name: string;
  size: Size;
  stage: Stage;
  redis: MeasuredRedis;
  creates: BenchRequest[];
  /** Redis bytes of each session of the fill. */
  bytesPerSession: number;
  close(): Promise<void>;
}

const root = join(__dirname, '../../../..');

/** Starts a deployment, publishes its documents and starts its sessions. `environment`: settings of playback's process with this index. */
export async function deploy(
  name: string,
  size: Size,
  licenseServerUrl: string,
  environment: (process: number) => Record<string, string> = () => ({}),
): Promise<Deployed> {
  const cluster = size.redisServers === 3 ? await startRedisCluster() : undefined;
  const own = { environment: cluster === undefined ? {} : { REDIS_URL: '', ...cluster.settings } };
  const stage = await startDeployment(licenseServerUrl, {
    playbacks: size.processes,
    settings: { maximumConcurrentStreams: 100 },
    controlPlane: own,
    playback: (process) => ({ environment: { ...own.environment, ...environment(process) } }),
  });
  for (const [index, { pid }] of stage.playbacks.entries()) pin(pid, coreOfProcess(index));
  const redis = new MeasuredRedis(cluster?.nodes.map(({ url }) => url) ?? [stage.redis.url]);
  if (size.documents > 1) console.log(`${name}: published in ${(await publish(stage, size.documents)).toFixed(1)} s`);
  const before = await redis.bytes();
  fillSessions(stage.customer.siteId, size.sessions, cluster?.settings ?? { REDIS_URL: stage.redis.url });
  const bytesPerSession = ((await redis.bytes()) - before) / size.sessions;
  return {
    name,
    size,
    stage,
    redis,
    creates: createsOf(stage, size),
    bytesPerSession,
    close: async () => {
      redis.close();
      await stage.close();
      await cluster?.stop();
    },
  };
}

/** Resolves to the seconds that publishing takes. */
async function publish({ databaseUrl, customer }: Stage, documents: number): Promise<number> {
  const tenant = { projectId: customer.projectId, environmentId: customer.siteId };
  await fillRecords(databaseUrl, tenant, { from: 1, to: documents });
  return (await publishRecords(databaseUrl)).seconds;
}

function fillSessions(environmentId: string, sessions: number, redisSettings: Record<string, string>): void {
  const program = join(root, 'services/playback/src/testing/fill-sessions.ts');
  const command = ['--conditions=source', '--import=tsx', program, environmentId, String(sessions)];
  const env = { PATH: process.env.PATH, SECRET_KEYS: secretKeys, ...redisSettings };
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: __dirname, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** The requests that start sessions: of new viewers, or of published ones with published contents and API clients. */
function createsOf({ customer }: Stage, { documents }: Size): BenchRequest[] {
  if (documents === 1) return [createRequest(customer.siteId, customer.apiClient)];
  // Every second content is live, and every second end user is blocked.
  const numbers = Array.from({ length: Math.floor(documents / 2) }, (_, index) => 2 * (index + 1));
  const lesson = JSON.parse(createBody) as object;
  return numbers.map((number) => {
    const body = { ...lesson, contentId: `content-${number}`, subject: `user-${number}` };
    return createRequest(customer.siteId, filledApiClient(customer.projectId, number), JSON.stringify(body));
  });
}

/** Median milliseconds of the first page of the environment's active sessions. */
export async function listMilliseconds({ stage }: Deployed): Promise<number> {
  const { customer, playbackUrls } = stage;
  const client = await customer.createApiClient(['sessions:read']);
  const url = `${playbackUrls[0]}/api/v1/playback/environments/${customer.siteId}/sessions?limit=50`;
  return medianMilliseconds(() => send('GET', url, undefined, credentialsOf(client)));
}

/** Median milliseconds of a refused archiving of the environment, which counts its active sessions. */
export function countMilliseconds(deployed: Deployed): Promise<number> {
  return refusedArchiving(deployed, '*', 'active session');
}

/** Median milliseconds of the same request if it is refused just before it counts. */
export function withoutCountMilliseconds(deployed: Deployed): Promise<number> {
  return refusedArchiving(deployed, '"0"', 'precondition_failed');
}

function refusedArchiving({ stage }: Deployed, ifMatch: string, reason: string): Promise<number> {
  const { customer } = stage;
  return medianMilliseconds(async () => {
    const archive = customer.manage('DELETE', `/environments/${customer.siteId}`, undefined, { 'If-Match': ifMatch });
    const refusal: unknown = await archive.catch((error: unknown) => error);
    if (!String(refusal).includes(reason)) throw new Error(`archiving was not refused: ${refusal}`);
  });
}

/** The first requests are not measured: code that has not run before takes several times as long. */
async function medianMilliseconds(request: () => Promise<unknown>): Promise<number> {
  const milliseconds: number[] = [];
  for (let count = -10; count < 21; count += 1) {
    const since = performance.now();
    await request();
    if (count >= 0) milliseconds.push(performance.now() - since);
  }
  return percentile(milliseconds, 0.5);
}
