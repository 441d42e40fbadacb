import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { cpuMicroseconds } from '@multi-drm/test-kit/load/process-figures';
import type { Customer } from '@multi-drm/test-kit/services/customer';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { appendSessions } from '../events/append-sessions';
import { EventLists } from '../events/event-lists';
import { eventsToDeliver } from '../events/extent';
import { type Outcome, totalOf } from '../outcome';
import { onStage, type Scenario } from '../scenario';
import { addEndpoint, Receiver } from '../webhooks/receiver';

/** How long all deliveries of one stage may take. */
const patienceMilliseconds = 180_000;

/** Within which another process goes on for one that was killed. */
const takenOverWithin = 20_000;

/** How many deliveries a second one process makes at least. */
const leastPerSecond = 1_000;

/** By how much endpoints of others that do not answer may raise the median of a healthy one. */
const maximumSlowdown = 1.2;
const silentProjects = 3;
const silentEndpoints = 50;

/** How long delays are measured, and how many sessions start each second meanwhile. */
const measuredSeconds = 20;
const startsPerSecond = 20;

const retries = { WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => 1).join(',') };

async function until(isDone: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + patienceMilliseconds; Date.now() < deadline; await sleep(20)) {
    if (await isDone()) return true;
  }
  return false;
}

/** Appends the events of sessions that have ended, two each. Resolves to the ids of their events, once they are stored. */
async function storeSessions(stage: Stage, events: number): Promise<Set<string>> {
  const { redis, customer, databaseUrl } = stage;
  const lists = new EventLists(redis);
  const client = redis.connect();
  const prefix = randomUUID();
  await appendSessions(client, {
    environmentId: customer.siteId,
    prefix,
    count: events / 2,
    startedAt: () => (Date.now() - 10_000) * 1_000,
    lasted: 5_000_000,
  });
  await lists.untilRead();
  client.disconnect();
  lists.close();
  const rows = await runOnDatabase<{ id: string }>(
    databaseUrl,
    'SELECT id::text AS id FROM event WHERE scope_id = $1 AND subject LIKE $2',
    [customer.siteId, `${prefix}%`],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A process that sends what another one has stored. */
async function startSender({ databaseUrl, redis }: Stage): Promise<ServiceProcess> {
  const environment = { CONTROL_PLANE_TASKS: 'webhooks', ...retries };
  const sender = await ServiceProcess.controlPlane(databaseUrl, redis.settings, { environment });
  await sender.start();
  return sender;
}

/** A receiver fails often, and the process that sends is killed in the middle: every event arrives. */
async function loseNothing(stage: Stage): Promise<Outcome> {
  const receiver = await Receiver.start('unreliable');
  await addEndpoint(stage.databaseUrl, stage.customer.projectId, receiver);
  const ids = await storeSessions(stage, eventsToDeliver);
  const broken: string[] = [];
  const first = await startSender(stage);
  await until(() => receiver.arrivals.size >= ids.size / 3);
  const other = await startSender(stage);
  await first.kill();
  const killedAt = Date.now();
  const before = receiver.requests;
  await until(() => receiver.requests > before);
  const pause = Date.now() - killedAt;
  await until(() => [...ids].every((id) => receiver.arrivals.has(id)));
  await other.kill();
  receiver.close();
  const missing = [...ids].filter((id) => !receiver.arrivals.has(id));
  if (ids.size !== eventsToDeliver) broken.push(`${ids.size} of ${eventsToDeliver} events were stored`);
  if (missing.length > 0) broken.push(`${missing.length} events have not arrived`);
  if (receiver.refused > 0) broken.push(`${receiver.refused} messages do not verify`);
  if (pause > takenOverWithin) broken.push(`nothing was sent for ${pause} ms after a process was killed`);
  const notes = [
    `${ids.size} events arrived with ${receiver.requests} requests; taken over ${Math.round(pause / 100) / 10} s after a process was killed`,
  ];
  return { requests: receiver.requests, failed: 0, broken, notes };
}

/** One process sends as fast as it can. */
async function sendFast(stage: Stage): Promise<Outcome> {
  const receiver = await Receiver.start('trusting');
  await addEndpoint(stage.databaseUrl, stage.customer.projectId, receiver);
  await storeSessions(stage, eventsToDeliver);
  const sender = await startSender(stage);
  await until(() => receiver.arrivals.size >= eventsToDeliver / 10);
  const [from, arrived, used] = [Date.now(), receiver.arrivals.size, cpuMicroseconds(sender.pid ?? 0)];
  await until(() => receiver.arrivals.size >= eventsToDeliver);
  const seconds = (Date.now() - from) / 1_000;
  const perSecond = (receiver.arrivals.size - arrived) / seconds;
  const share = (cpuMicroseconds(sender.pid ?? 0) - used) / 1_000_000 / seconds;
  await sender.kill();
  receiver.close();
  const broken = perSecond >= leastPerSecond ? [] : [`only ${Math.round(perSecond)} deliveries a second were made`];
  const notes = [`${Math.round(perSecond)} deliveries a second with ${Math.round(100 * share)} % of a core`];
  return { requests: receiver.requests, failed: 0, broken, notes };
}

/** The median of how long an event takes from the start of a session to its arrival, in milliseconds. Sessions of others start, too. */
async function medianDelay({ redis, customer }: Stage, others: readonly string[], receiver: Receiver): Promise<number> {
  const client = redis.connect();
  receiver.delays.length = 0;
  for (let start = 0; start < measuredSeconds * startsPerSecond; start += 1) {
    for (const environmentId of [customer.siteId, others[start % (4 * others.length)] ?? []].flat()) {
      const startedAt = () => Date.now() * 1_000;
      await appendSessions(client, { environmentId, prefix: randomUUID(), count: 1, startedAt });
    }
    await sleep(1_000 / startsPerSecond);
  }
  client.disconnect();
  await until(() => receiver.delays.length >= measuredSeconds * startsPerSecond);
  return percentile(receiver.delays, 0.5);
}

interface CreatedProject {
  projectId: string;
  environments: { environmentId: string }[];
}

/** Adds projects for endpoints that do not answer, because a project may not have as many. */
async function addProjects(customer: Customer): Promise<CreatedProject[]> {
  const projects: CreatedProject[] = [];
  for (let project = 0; project < silentProjects; project += 1) {
    const path = `/organizations/${customer.organizationId}/projects`;
    projects.push(await customer.manage<CreatedProject>('POST', path, { name: `Silent ${project}` }));
  }
  return projects;
}

/** Endpoints of another organization do not answer. */
async function besideSilentEndpoints(stage: Stage): Promise<Outcome> {
  const { customer } = stage;
  const receiver = await Receiver.start('reliable');
  await addEndpoint(stage.databaseUrl, customer.projectId, receiver);
  const sender = await startSender(stage);
  const other = await stage.addCustomer();
  const projects = await addProjects(other);
  const environmentIds = projects.map(({ environments }) => environments[0]?.environmentId ?? '');
  const alone = await medianDelay(stage, environmentIds, receiver);
  const silent = await Receiver.start('silent');
  for (let count = 0; count < silentEndpoints; count += 1) {
    const project = projects[count % silentProjects]?.projectId ?? '';
    await addEndpoint(stage.databaseUrl, project, silent);
  }
  const beside = await medianDelay(stage, environmentIds, receiver);
  await sender.kill();
  receiver.close();
  silent.close();
  const broken: string[] = [];
  if (!(beside <= maximumSlowdown * alone)) broken.push('endpoints that do not answer delay those of others');
  if (silent.requests < silentEndpoints) broken.push(`only ${silent.requests} requests were not answered`);
  const notes = [
    `the median from a change to its delivery is ${Math.round(alone)} ms, and ${Math.round(beside)} ms beside ${silentEndpoints} endpoints that do not answer`,
  ];
  return { requests: receiver.requests + silent.requests, failed: 0, broken, notes };
}

const withoutSender = { environment: { CONTROL_PLANE_TASKS: 'api,publish,events' } };

const parts = [loseNothing, sendFast, besideSilentEndpoints].map((run) =>
  onStage({ withoutLink: true, controlPlane: withoutSender }, run),
);

/** Events are delivered to receivers that fail, that answer at once, and that do not answer: each on a stage of its own. */
export const webhooks: Scenario = async () => {
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(await part());
  return totalOf(outcomes);
};
