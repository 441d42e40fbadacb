import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { secretPlaces } from '@multi-drm/contracts';
import { Secrets } from '@multi-drm/service-kit';
import { eventId } from '../events/event-id';
import type { EventRow } from '../events/event-rows';
import type { PrismaClient, WebhookEndpoint } from '../generated/prisma/client';

/** The keys that encrypt the secrets of endpoints in tests. */
export const webhookSecretKeys = [{ id: 'tests', key: Buffer.alloc(32, 7) }];

/** The secret of every endpoint in tests. */
export const webhookSecret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

const secrets = new Secrets(webhookSecretKeys);

/** Inserts an endpoint that hears of all events, with a secret header. */
export async function insertEndpoint(
  prisma: PrismaClient,
  projectId: string,
  changes: Partial<WebhookEndpoint> = {},
): Promise<string> {
  const id = randomUUID();
  const { secretHeaders: _none, ...columns } = changes;
  await prisma.webhookEndpoint.create({
    data: {
      id,
      projectId,
      url: 'http://127.0.0.1/',
      types: ['*'],
      environmentIds: [],
      secret: secrets.encrypt(secretPlaces.webhookSecret(id), webhookSecret),
      secretHeaders: { 'x-tenant': secrets.encrypt(secretPlaces.webhookHeader(id, 'x-tenant'), 'academy') },
      ...columns,
    },
  });
  return id;
}

/** An event of now; `milliseconds`: before now. */
export function storableEvent(scopeId: string, changes: Partial<EventRow> = {}, milliseconds = 0): EventRow {
  const time = (Date.now() - milliseconds) * 1000 + 17;
  return {
    time,
    id: eventId(time, randomUUID()),
    type: 'session.started',
    scopeId,
    subject: 'lms:3f9c:17',
    sessionId: randomUUID(),
    reservationId: randomUUID(),
    contentId: 'lesson-0042',
    data: { contentType: 'vod', reporting: { campaign: 'spring' } },
    ...changes,
  };
}

/** What a receiver got. */
export interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server as a customer has one. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  /** How it answers. */
  answer: (response: ServerResponse, message: ReceivedMessage) => void = (response) => response.end();
  private readonly server = createServer(async (request, response) => {
    const message = { headers: request.headers, body: await text(request) };
    this.messages.push(message);
    this.answer(response, message);
  });

  /** Starts it; resolves to it. */
  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** The ids of the events that it got, in order. */
  get ids(): unknown[] {
    return this.messages.map(({ headers }) => headers['webhook-id']);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
