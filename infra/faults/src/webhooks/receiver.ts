import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Secrets } from '@multi-drm/service-kit';
import { runOnDatabase } from '@multi-drm/test-kit';
import { secretKey } from '@multi-drm/test-kit/services/service-process';
import { Webhook } from 'standardwebhooks';

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

/** Has all events of sessions of a project sent to a receiver. It is stored directly, because the API only accepts HTTPS. */
export async function addEndpoint(databaseUrl: string, projectId: string, receiver: Receiver): Promise<void> {
  const id = randomUUID();
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const encrypted = new Secrets([secretKey]).encrypt({ recordId: id, field: 'secret' }, secret);
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO webhook_endpoint (id, project_id, url, types, environment_ids, secret)
    VALUES ($1, $2, $3, '{session.*}', '{}', $4)`,
    [id, projectId, receiver.url, encrypted],
  );
  receiver.secret = secret;
}
