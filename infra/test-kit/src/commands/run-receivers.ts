import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { localHost } from '@multi-drm/local/ports';
import { repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine } from '@multi-drm/local/terminal-output';
import { findPhp, findPython, type Program, whileRunning } from '../examples/program';
import { startHttpServer } from '../servers/http-server';
import { withTestServers } from '../servers/stand-alone-servers';
import { cloneDatabase, startRedis } from '../servers/suite-servers';
import { Customer } from '../services/customer';
import { ServiceProcess } from '../services/service-process';
import { generateCode } from './generate-code';

/** A delivery as a receiver gets it. */
interface Delivery {
  headers: Record<string, string>;
  body: Buffer;
}

const folder = join(repositoryFolder, 'docs/receivers');

/** Which headers of a delivery are kept. */
const deliveredHeaders = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/**
 * `npm run receivers`: starts each receiver that the documents show, and sends it deliveries of a control plane: as they are, with a space
 * added, during a rotation and after it. Installs Python and PHP if they are missing. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  const stop = watchForStop();
  await generateCode(stop);
  const receivers = await findReceivers(stop);
  const { secrets, first, during, after } = await recordDeliveries();
  const [oldest = '', old = ''] = secrets;
  let wrong = 0;
  for (const receiver of receivers) {
    const withSecret = (secret: string) => (what: string, delivery: Delivery, expected: number) => ({
      ...{ secret, what, delivery, expected },
    });
    const [withFirst, withSecond] = [withSecret(oldest), withSecret(old)];
    const cases = [
      withFirst('accepts a delivery', first, 204),
      withFirst(
        'refuses it with a space added',
        { ...first, body: Buffer.concat([first.body, Buffer.from(' ')]) },
        401,
      ),
      withFirst('refuses it if it is six minutes old', sixMinutesOld(first, oldest), 401),
      withFirst(
        'refuses it without a signature',
        { ...first, headers: without(first.headers, 'webhook-signature') },
        401,
      ),
      withFirst('accepts a delivery during a rotation, with the old secret', during, 204),
      withSecond('accepts it with the new secret', during, 204),
      withSecond('refuses a delivery with the old signature alone', first, 401),
      withFirst('refuses a delivery after the rotation, with the old secret', after, 401),
    ];
    for (const secret of [oldest, old]) {
      await whileRunning(receiver, { WEBHOOK_SECRET: secret }, async (url) => {
        for (const { what, delivery, expected } of cases.filter((one) => one.secret === secret)) {
          const status = await statusOf(url, delivery);
          if (status !== expected) wrong += 1;
          printLine(`${status === expected ? 'ok   ' : 'WRONG'} ${receiver.name} ${what}: ${status}`);
        }
      });
    }
  }
  printLine(wrong === 0 ? 'Every receiver verifies deliveries.' : `${wrong} answers are wrong.`);
  return wrong === 0 ? 0 : 1;
}

async function findReceivers(stop: AbortSignal): Promise<Program[]> {
  const [python, php] = [await findPython(stop), await findPhp(stop)];
  const file = (name: string) => join(folder, name);
  return [
    { name: 'receiver.ts', command: () => [process.execPath, '--import=tsx', file('receiver.ts')] },
    { name: 'receiver.py', command: () => [python, file('receiver.py')] },
    { name: 'receiver.php', command: (port) => [php, '-S', `${localHost}:${port}`, file('receiver.php')] },
  ];
}

/** Deliveries of a control plane: before, during and after a rotation, and the secrets before and during it. */
async function recordDeliveries() {
  return withTestServers(async () => {
    const [database, redis] = [await cloneDatabase(), await startRedis()];
    const controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
    const recorder = await startRecorder();
    try {
      await controlPlane.start();
      const customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: '' });
      const call = (path: string, body?: object) =>
        customer.manage<ControlPlaneSchemas['CreatedWebhookEndpointResponse']>('POST', path, body);
      const endpoints = `/projects/${customer.projectId}/webhook-endpoints`;
      const created = await call(endpoints, { url: recorder.url, types: ['api_client.rotated'] });
      const { webhookEndpointId, secret: oldest = '' } = created;
      const rotate = (body?: object) => call(`/webhook-endpoints/${webhookEndpointId}/rotate`, body);
      /** A delivery with so many signatures. A rotation takes effect within seconds. */
      const deliveryWith = async (signatures: number): Promise<Delivery> => {
        for (;;) {
          const delivered = recorder.next();
          await customer.manage('POST', `/api-clients/${customer.apiClient.apiClientId}/rotate`);
          const delivery = await delivered;
          if (delivery.headers['webhook-signature']?.split(' ').length === signatures) return delivery;
          await delay(250);
        }
      };
      const first = await deliveryWith(1);
      const { secret: old = '' } = await rotate();
      const during = await deliveryWith(2);
      await rotate({ overlapSeconds: 0 });
      return { secrets: [oldest, old], first, during, after: await deliveryWith(1) };
    } finally {
      await controlPlane.stop();
      await redis.stop();
    }
  });
}

/** A server that answers 204 and keeps what it gets. */
async function startRecorder() {
  let deliver: (delivery: Delivery) => void = () => undefined;
  const url = await startHttpServer(async (request, response) => {
    const body = await buffer(request);
    response.writeHead(204).end();
    const headers = deliveredHeaders.map((name) => [name, String(request.headers[name])]);
    deliver({ headers: Object.fromEntries(headers), body });
  });
  /** `next` resolves to the next delivery. */
  return { url: `${url}/`, next: () => new Promise<Delivery>((resolve) => (deliver = resolve)) };
}

async function statusOf(url: string, { headers, body }: Delivery): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  await answer.arrayBuffer();
  return answer.status;
}

/** The same delivery with a valid signature of then. */
function sixMinutesOld({ headers, body }: Delivery, secret: string): Delivery {
  const timestamp = String(Math.floor(Date.now() / 1000) - 360);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body);
  const signed = { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature.digest('base64')}` };
  return { headers: { ...headers, ...signed }, body };
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
}
