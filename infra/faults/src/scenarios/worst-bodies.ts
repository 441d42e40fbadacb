import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '@multi-drm/contracts';
import { type FuzzRequest, send, worstRequests, worstRequestsOfAny, worstTarget } from '@multi-drm/test-kit/fuzzing';
import { processorMilliseconds } from '@multi-drm/test-kit/load/process-figures';
import { credentialsOf } from '@multi-drm/test-kit/services/customer';
import { operatorKey } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { LivenessProbe } from '../probe';
import { onStage } from '../scenario';

/** Milliseconds for which one request may delay all others of its process. */
const bound = 50;

/** Milliseconds of processor time that one request may take, which is independent of what else the machine does. */
const processorBound = 20;

/** A real stall repeats; a single one may be due to the machine or garbage collection. */
const attempts = 5;

const operationMethods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Operations that are called with unknown ids, because they would remove what others need. */
const ending = /^(?:archive|restore|revoke|rotate|erase|release)/;

/** Operations that only the operator may call. */
const operatorsOwn = new Set(['listOrganizations', 'archiveOrganization', 'restoreOrganization']);

/** High limits, so that no call is rate-limited. */
const unlimited = Object.fromEntries(
  [
    'ORGANIZATION_REQUESTS',
    'UNAUTHENTICATED_REQUESTS',
    'REFUSED_REQUESTS_PER_CREDENTIAL',
    'CERTIFICATE_REQUESTS',
    'SESSION_REQUESTS',
  ].map((name) => [`${name}_PER_MINUTE`, '1000000']),
);

interface Attack {
  document: OpenApiDocument;
  url: string;
  pid: number | undefined;
  /** The other service, which is not attacked: its response time shows the machine's own delay. */
  idleUrl: string;
  /** Headers of a caller that may call the operation. */
  credentials: (operationId: string, path: string) => Record<string, string>;
  ids: Record<string, string>;
  /** The headers to test, with one operation, because all operations read them in the same way. */
  headers: { operationId: string; names: string[] };
}

/** Sends the worst known requests to every operation of both services while liveness is polled. */
export const worstBodies = onStage(
  { controlPlane: { environment: unlimited }, playback: () => ({ environment: unlimited }) },
  async (stage) => {
    const probe = await LivenessProbe.start(stage.services.map(({ url }) => url));
    const notes: string[] = [];
    const broken: string[] = [];
    let [requests, failed] = [0, 0];
    for (const attack of await attacksOn(stage)) {
      const from = Date.now();
      await sleep(3_000);
      const without = probe.longest(attack.url, from, Date.now());
      const found = await stallsBy(attack, probe);
      requests += found.requests;
      failed += found.failed.length;
      broken.push(...found.failed, ...found.stalls);
      notes.push(
        `${attack.document.info.title}: ${found.requests} requests to ${found.operations} operations; liveness took ${Math.round(without)} ms at most
      without them, ${Math.round(found.longest)} ms beside the worst (${found.worst}), where the idle process took ${Math.round(found.idle)} ms; the
      most processor time was ${found.processor.toFixed(1)} ms (${found.dearest})`,
      );
    }
    const unanswered = await probe.stop();
    if (unanswered > 0) broken.push(`liveness was not answered ${unanswered} times`);
    return { requests, failed, broken, notes };
  },
);

async function attacksOn({ customer, controlPlane, playbacks }: Stage): Promise<Attack[]> {
  const [playback] = playbacks;
  if (playback === undefined) throw new Error('the stage has a playback process');
  const { items } = await customer.manage<{ items: { contentAssetId: string }[] }>(
    'GET',
    `/environments/${customer.siteId}/content`,
  );
  const session = await customer.play('lesson', randomUUID());
  const ids = {
    organizationId: customer.organizationId,
    projectId: customer.projectId,
    environmentId: customer.siteId,
    siteId: customer.siteId,
    contentAssetId: items[0]?.contentAssetId ?? '',
    apiClientId: customer.apiClient.apiClientId,
    sessionId: session.sessionId,
    drmSystem: 'widevine',
  };
  return [
    {
      document: controlPlaneDocument,
      url: controlPlane.url,
      pid: controlPlane.pid,
      idleUrl: playback.url,
      ids,
      headers: {
        operationId: 'createProject',
        names: ['Authorization', 'If-Match', 'Idempotency-Key', 'Content-Type', 'X-Forwarded-For', 'Accept', 'Cookie'],
      },
      credentials: (operationId) => ({
        ...(operatorsOwn.has(operationId) ? { Authorization: `Bearer ${operatorKey}` } : customer.authorization),
        'If-Match': '*',
      }),
    },
    {
      document: playbackDocument,
      url: playback.url,
      pid: playback.pid,
      idleUrl: controlPlane.url,
      ids,
      headers: {
        operationId: 'createPlaybackSession',
        names: [
          'Authorization',
          'X-SERVICE-Client-Id',
          'X-SERVICE-Client-Secret',
          'Idempotency-Key',
          'Origin',
          'Cookie',
        ],
      },
      credentials: (_operationId, path) =>
        /\{sessionId\}|\/licenses\//.test(path)
          ? { Authorization: `Bearer ${session.drm.drmLicenseToken}` }
          : credentialsOf(customer.apiClient),
    },
  ];
}

async function stallsBy(attack: Attack, probe: LivenessProbe) {
  const { url, pid, idleUrl } = attack;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const found = {
    requests: 0,
    operations: 0,
    failed: [] as string[],
    stalls: [] as string[],
    longest: 0,
    idle: 0,
    worst: '',
    processor: 0,
    dearest: '',
  };
  for (const [name, request] of requestsOf(attack)) {
    if (name.isFirst) found.operations += 1;
    let least = { stall: Number.POSITIVE_INFINITY, idle: 0 };
    let processor = Number.POSITIVE_INFINITY;
    const exceeds = () => least.stall > bound + least.idle || processor > processorBound;
    for (let attempt = 0; attempt < attempts && exceeds(); attempt += 1) {
      const from = Date.now();
      const before = processorMilliseconds(pid);
      const { status } = await send(url, agent, request);
      processor = Math.min(processor, processorMilliseconds(pid) - before);
      const to = Date.now();
      await probe.upTo(to);
      found.requests += 1;
      const seen = { stall: probe.longest(url, from, to), idle: probe.longest(idleUrl, from, to) };
      if (seen.stall < least.stall) least = seen;
      if (status >= 500) found.failed.push(`${name.text} was answered ${status}`);
    }
    if (least.stall > bound + least.idle)
      found.stalls.push(`${name.text} kept liveness for ${Math.round(least.stall)} ms`);
    if (processor > processorBound) found.stalls.push(`${name.text} took ${processor.toFixed(1)} ms of processor time`);
    if (processor > found.processor) Object.assign(found, { processor, dearest: name.text });
    if (least.stall > found.longest) Object.assign(found, { longest: least.stall, idle: least.idle, worst: name.text });
  }
  agent.destroy();
  return found;
}

type NamedRequest = [name: { text: string; isFirst: boolean }, request: FuzzRequest];

function* requestsOf({ document, credentials, ids, headers }: Attack): Generator<NamedRequest> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!operationMethods.has(method)) continue;
      const { operationId } = operation as { operationId: string };
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const isGone = ending.test(operationId);
      const target = worstTarget(document, operationId, {
        headers: credentials(operationId, path),
        parameters: Object.fromEntries(names.map((name) => [name, [(isGone ? undefined : ids[name]) ?? randomUUID()]])),
      });
      const own = worstRequests(target);
      const generalRequests =
        method === 'get' ? {} : worstRequestsOfAny(target, operationId === headers.operationId ? headers.names : []);
      let isFirst = true;
      for (const [name, request] of Object.entries({ ...own, ...generalRequests })) {
        yield [{ text: `${operationId}: ${name}`, isFirst }, request];
        isFirst = false;
      }
    }
  }
}
