import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runOnDatabase } from '@multi-drm/test-kit';
import { secretKeys } from '@multi-drm/test-kit/services/service-process';
import { Webhook } from 'standardwebhooks';
import { Secrets } from '../../../../packages/service-kit/src/secrets/secrets';

/** How a receiver answers. `silent`: not at all; `unreliable`: a third of the requests with 500; `trusting`: without verifying them. */
export type Manners = 'reliable' | 'unreliable' | 'trusting' | 'silent';

/** An HTTP server of a customer, which verifies what it gets with the reference implementation of Standard Webhooks. */
export class Receiver {
  /** When each event arrived for the first time with an answer of 200, by its id: milliseconds since 1970. */
  readonly arrivals = new Map<string, number>();
  /** How long each of them took from when it happened, in milliseconds. */
  readonly delays: number[] = [];
  requests = 0;
  /** Messages that do not verify. */
  refused = 0;
  /** Signs what it gets. */
  secret = '';
  private readonly server: Server;

  private constructor(manners: Manners) {
    this.server = createServer(async (request, response) => {
      if (manners === 'trusting') {
        this.requests += 1;
        this.arrivals.set(String(request.headers['webhook-id']), Date.now());
        request.resume().on('end', () => response.end());
        return;
      }
      const body = await text(request);
      this.requests += 1;
      if (manners === 'silent') return;
      if (manners === 'unreliable' && randomInt(3) === 0) response.writeHead(500).end('try again');
      else response.writeHead(this.accept(body, request.headers) ? 200 : 400).end();
    });
  }

  static async start(manners: Manners): Promise<Receiver> {
    const receiver = new Receiver(manners);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private accept(body: string, headers: NodeJS.Dict<string | string[]>): boolean {
    try {
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const event = new Webhook(this.secret).verify(body, sent) as { id: string; timestamp: string };
      if (event.id !== headers['webhook-id']) throw new Error('the header has another id');
      if (!this.arrivals.has(event.id)) {
        this.arrivals.set(event.id, Date.now());
        this.delays.push(Date.now() - Date.parse(event.timestamp));
      }
      return true;
    } catch {
      this.refused += 1;
      return false;
    }
  }
}

/** What of a customer adds endpoints. */
interface Manager {
  projectId: string;
  manage<Answer>(method: 'POST', path: string, body: object): Promise<Answer>;
}

/** Has all events of sessions sent to a receiver. `projectId`: default: that of the customer. */
export async function addEndpoint(customer: Manager, receiver: Receiver, projectId = customer.projectId) {
  const id = randomUUID();
  const secrets = new Secrets([
    { id: trial.key.split(':')[0] ?? '', key: Buffer.from(trial.key.split(':')[1] ?? '', 'base64') },
  ]);
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  await runOnDatabase(
    trial.databaseUrl,
    `INSERT INTO webhook_endpoint (id, project_id, url, types, environment_ids, secret)
    VALUES ($1, $2, $3, '{session.*}', '{}', $4)`,
    [id, projectId, receiver.url, secrets.encrypt({ recordId: id, field: 'secret' }, secret)],
  );
  receiver.secret = secret;
}
export const trial = { databaseUrl: '', key: secretKeys };
