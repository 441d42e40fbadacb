import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from '@multi-drm/test-kit/load/calls';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { playerCall } from '@multi-drm/test-kit/load/player-calls';
import { residentMebibytes } from '@multi-drm/test-kit/load/process-figures';
import type { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { openSocket } from '../open-socket';
import { onStage } from '../scenario';

/** The median of others must stay below: a call that waits for its turn in vain takes 250 milliseconds more. */
const maximumMilliseconds = 125;
const calls = 100;
const halves = 8;

/** MiB that a flood may add to a process, connections included. All of its bodies would need about 180 (calculated). */
const maximumMebibytes = 130;

/** Connections that send nearly all of a body, and then nothing. */
interface Flood {
  name: string;
  connections: number;
  headers: string;
  part: string;
}

const bytes = 63 * 1024;
const floods: Flood[] = [
  { name: 'bodies of 63 KiB', connections: 2_000, headers: 'Content-Length: 65000', part: 'x'.repeat(bytes) },
  {
    name: 'bodies of 63 KiB in almost as many chunks as are allowed',
    connections: 200,
    headers: 'Transfer-Encoding: chunked',
    part: `20\r\n${'x'.repeat(32)}\r\n`.repeat(bytes / 32),
  },
];

/** Requests whose bodies do not arrive hold neither a place nor much memory. */
export const halfBodies = onStage(
  { withoutLink: true, playback: () => ({ environment: { SESSION_REQUESTS_PER_MINUTE: '1000000' } }) },
  async (stage) => {
    const [playback] = stage.playbacks;
    if (playback === undefined) throw new Error('the stage has a playback process');
    const waits = await besideHalves(stage, playback);
    const grown: Awaited<ReturnType<typeof memoryOf>>[] = [];
    for (const service of [stage.controlPlane, playback]) {
      for (const flood of floods) grown.push(await memoryOf(service, flood, stage));
    }
    const answers = waits.answers;
    const failed = answers.filter(({ status }) => status !== 200).length;
    return {
      requests: answers.length,
      failed,
      broken: [
        ...(failed > 0 ? [`${failed} renewals failed`] : []),
        ...waits.broken,
        ...grown.flatMap(({ title, added }) => (added > maximumMebibytes ? [`${title}: ${added} MiB more`] : [])),
      ],
      notes: [...waits.notes, ...grown.map(({ title, added }) => `${title}: ${added} MiB more`)],
    };
  },
);

/** Renews sessions from the address of requests that never arrive completely. */
async function besideHalves(stage: Stage, playback: ServiceProcess) {
  const session = await stage.customer.play('lesson', randomUUID());
  const environment = `/api/v1/playback/environments/${stage.customer.siteId}`;
  const renew = () => send(playerCall('renew', playback.url, session));
  const kinds: Record<string, [path: string, type: string] | undefined> = {
    nothing: undefined,
    creates: [`${environment}/sessions`, 'application/json'],
    'beacons of releases': [`${environment}/sessions/${session.sessionId}/release`, 'text/plain'],
    challenges: [`${environment}/licenses/widevine`, 'application/octet-stream'],
  };
  const answers: Answer[] = [];
  const notes: string[] = [];
  const broken: string[] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    const head =
      kind && `POST ${kind[0]} HTTP/1.1\r\nHost: a\r\nContent-Type: ${kind[1]}\r\nContent-Length: 2\r\n\r\n{`;
    const sockets =
      head === undefined ? [] : await Promise.all(Array.from({ length: halves }, () => openReading(playback)));
    for (const socket of sockets) socket.write(head ?? '');
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const answer = await renew();
      answers.push(answer);
      times.push(answer.milliseconds);
    }
    for (const socket of sockets) socket.destroy();
    const median = percentile(times, 0.5);
    const title = `renewals beside ${name === 'nothing' ? name : `${halves} half ${name}`} from the same address`;
    notes.push(`${title}: p50 ${median.toFixed(1)} ms`);
    if (median > maximumMilliseconds) broken.push(`${title}: p50 ${Math.round(median)} ms`);
  }
  return { answers, notes, broken };
}

async function memoryOf(service: ServiceProcess, { name, connections, headers, part }: Flood, stage: Stage) {
  const path =
    service === stage.controlPlane
      ? `/api/v1/management/projects/${stage.customer.projectId}/users`
      : `/api/v1/playback/environments/${stage.customer.siteId}/sessions`;
  const before = residentMebibytes(service.pid);
  const sockets: Socket[] = [];
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMebibytes(service.pid));
  }, 50);
  for (let nth = 0; nth < connections; nth += 1) {
    const socket = await openReading(service);
    socket.write(head + part);
    sockets.push(socket);
  }
  // Until everything that was sent has been read, or refused.
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
    if (sockets.every((socket) => socket.destroyed || socket.writableLength === 0)) break;
  }
  await sleep(2_000);
  clearInterval(watching);
  for (const socket of sockets) socket.destroy();
  const title = `${service === stage.controlPlane ? 'control plane' : 'playback'}, ${connections} connections with ${name}`;
  return { title, added: most - before };
}

const openReading = async ({ url }: ServiceProcess): Promise<Socket> => (await openSocket(url)).resume();
