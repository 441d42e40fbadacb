import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMebibytes } from '@multi-drm/test-kit/load/process-figures';
import type { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import { openSocket } from '../open-socket';
import { LivenessProbe } from '../probe';
import { onStage } from '../scenario';

const connections = 60;
const maximumMebibytes = 150;
/** The maximum response time of liveness in milliseconds. */
const maximumDelay = 250;
/** Milliseconds: thirty seconds after a connection last read, plus the time until all buffers between the processes are full. */
const patience = 35_000;

/** The requests that connections send without reading responses. */
interface Flood {
  name: string;
  path: string;
  /** Requests of each connection, all sent together. */
  ahead: number;
  /** Milliseconds until they read, when their connection must have ended. */
  lasts: number;
}

const floods: Flood[] = [
  { name: 'far more than a connection may send ahead', path: '/openapi.json', ahead: 2_000, lasts: 5_000 },
  // Seventeen is the number of pending requests that the service allows; their bytes exceed the buffers between the processes.
  { name: 'as many as are taken', path: '/docs/api-reference.js', ahead: 17, lasts: patience },
];

/** Connections that send requests continuously and read nothing. */
export const pipelining = onStage({}, async (stage) => {
  const [playback] = stage.playbacks;
  if (playback === undefined) throw new Error('the stage has a playback process');
  const probe = await LivenessProbe.start(stage.services.map(({ url }) => url));
  const broken: string[] = [];
  const notes: string[] = [];
  for (const flood of floods) {
    const attacked: [ServiceProcess, ServiceProcess][] = [
      [stage.controlPlane, playback],
      [playback, stage.controlPlane],
    ];
    for (const [service, idle] of attacked) {
      const found = await floodOf(service, flood);
      const delay = probe.longest(service.url, found.from, found.to);
      const machine = probe.longest(idle.url, found.from, found.to);
      const title = `${new URL(service.url).port === new URL(playback.url).port ? 'playback' : 'control plane'}, ${flood.name}`;
      notes.push(
        `${title}: ${found.added} MiB more, liveness ${Math.round(delay)} ms at most (of the idle process ${Math.round(machine)} ms), ${found.ended} of ${connections} connections ended within ${flood.lasts / 1_000} s`,
      );
      if (found.added > maximumMebibytes) broken.push(`${title}: ${found.added} MiB more`);
      if (delay > maximumDelay + machine) broken.push(`${title}: liveness took ${Math.round(delay)} ms`);
      if (found.ended < connections)
        broken.push(`${title}: ${connections - found.ended} connections were still served`);
    }
  }
  const unanswered = await probe.stop();
  if (unanswered > 0) broken.push(`liveness was not answered ${unanswered} times`);
  const requests = 2 * connections * floods.reduce((sum, { ahead }) => sum + ahead, 0);
  return { requests, failed: 0, broken, notes };
});

async function floodOf({ url, pid }: ServiceProcess, { path, ahead, lasts }: Flood) {
  let length = 0;
  // The one-time cost of a first response must not count.
  for (let call = 0; call < 50; call += 1) length = (await (await fetch(`${url}${path}`)).arrayBuffer()).byteLength;
  const before = residentMebibytes(pid);
  const from = Date.now();
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(url)));
  const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
  for (const socket of sockets) socket.write(request.repeat(ahead));
  let most = before;
  while (Date.now() < from + lasts) {
    most = Math.max(most, residentMebibytes(pid));
    await sleep(50);
  }
  const to = Date.now();
  // Only responses already in transit arrive; on a connection that continued, all would.
  const received = await Promise.all(sockets.map(bytesUntilEnd));
  return { from, to, added: most - before, ended: received.filter((bytes) => bytes < ahead * length).length };
}

/** Reads until the connection ends or everything has been read. */
async function bytesUntilEnd(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  const isOver = socket.closed || once(socket, 'close');
  const ended = await Promise.race([Promise.resolve(isOver).then(() => true), sleep(5_000, false, { ref: false })]);
  socket.destroy();
  return ended ? bytes : Number.POSITIVE_INFINITY;
}
