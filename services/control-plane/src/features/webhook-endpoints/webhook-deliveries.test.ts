import { randomUUID } from 'node:crypto';
import { listWebhookDeliveries } from '../../stores/webhook-deliveries';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { storeEvent } from '../../testing/sessions';
import { storeDelivery } from '../../testing/webhook-deliveries';
import { WebhookReceiver } from '../../testing/webhook-endpoints';
import { signatureHeaders } from '../../webhooks/signature';

let controlPlane: TestControlPlane;
let receiver: WebhookReceiver;
let tenant: TestTenant;
/** An endpoint and its secret. */
let id: string;
let secret: string;

const value = 'a-credential-of-the-receiver';

beforeAll(async () => {
  controlPlane = await startControlPlane();
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  receiver.messages.length = 0;
  receiver.answer = (response) => response.end();
  const body = { url: receiver.url, types: ['session.*'], secretHeaders: { 'X-Key': value } };
  const created = await send('post', `projects/${tenant.projectId}/webhook-endpoints`, body).expect(200);
  ({ webhookEndpointId: id, secret } = created.body);
});

const send = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
  controlPlane.api[method](`/api/v1/management/${path}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send(body);
const deliveries = (query: object = {}) =>
  controlPlane.api.get(`/api/v1/management/webhook-endpoints/${id}/deliveries`).set(bearer(tenant.key)).query(query);
const retry = (eventId: string) => send('post', `webhook-endpoints/${id}/deliveries/${eventId}/retry`);
const replay = (body: object) => send('post', `webhook-endpoints/${id}/replay`, body);

/** Stores an event and its delivery. Returns the event's id. */
async function store(minute: number, delivery?: Parameters<typeof storeDelivery>[3]): Promise<string> {
  const time = new Date(`2026-03-01T09:${String(minute).padStart(2, '0')}:00.000Z`);
  const eventId = await storeEvent(controlPlane.prisma, tenant.development, { time });
  await storeDelivery(controlPlane.prisma, tenant.projectId, eventId, delivery);
  return eventId;
}

describe('a test', () => {
  const sendTest = () => send('post', `webhook-endpoints/${id}/test`);

  test('sends a signed event of the endpoint, once, also to one that is disabled', async () => {
    await send('patch', `webhook-endpoints/${id}`, { enabled: false }).expect(200);
    receiver.answer = (response) => void response.writeHead(202, { 'Content-Type': 'text/plain' }).end('Thanks');
    const { body } = await sendTest().expect(200);
    expect(body).toEqual({
      succeeded: true,
      status: 202,
      error: null,
      milliseconds: expect.any(Number),
      answer: 'Thanks',
    });
    expect(receiver.messages).toHaveLength(1);
    const [{ headers, body: sent } = { headers: {}, body: '' }] = receiver.messages;
    const event = JSON.parse(sent);
    expect(event).toEqual({
      id: headers['webhook-id'],
      type: 'webhook.test',
      timestamp: '2026-03-01T10:00:00.000Z',
      organizationId: tenant.organizationId,
      projectId: tenant.projectId,
      environmentId: null,
      data: { webhookEndpointId: id },
    });
    const signed = { id: event.id, timestamp: controlPlane.clock.now.getTime() / 1000, body: Buffer.from(sent) };
    expect(headers).toMatchObject({ ...signatureHeaders(signed, [secret]), 'x-key': value });
    expect((await deliveries().expect(200)).body.items).toEqual([]);
  });

  test('is signed with both secrets during a rotation, and with one after it', async () => {
    const { body } = await send('post', `webhook-endpoints/${id}/rotate`, { overlapSeconds: 60 }).expect(200);
    await sendTest().expect(200);
    const { now } = controlPlane.clock;
    controlPlane.clock.now = new Date(now.getTime() + 60_000);
    await sendTest().expect(200);
    controlPlane.clock.now = now;
    const signed = receiver.messages.map(({ headers, body: text }, index) => {
      const timestamp = now.getTime() / 1000 + 60 * index;
      const secrets = [[body.secret, secret], [body.secret]][index] ?? [];
      const expected = signatureHeaders(
        { id: `${headers['webhook-id']}`, timestamp, body: Buffer.from(text) },
        secrets,
      );
      return [headers['webhook-signature'], expected['webhook-signature']];
    });
    expect(signed).toHaveLength(2);
    for (const [sent, expected] of signed) expect(sent).toBe(expected);
  });

  test('says why there was no answer', async () => {
    const { body: other } = await send('post', `projects/${tenant.projectId}/webhook-endpoints`, {
      url: 'http://127.0.0.1:9/',
      types: ['*'],
    });
    const { body } = await send('post', `webhook-endpoints/${other.webhookEndpointId}/test`).expect(200);
    expect(body).toMatchObject({ succeeded: false, status: null, error: 'unreachable', answer: null });
  });
});

describe('the list', () => {
  test('has the newest event first, in pages without gaps or overlaps, and none of other endpoints', async () => {
    const ids = [await store(1), await store(2), await store(2), await store(3)].sort().reverse();
    await send('post', `projects/${tenant.projectId}/webhook-endpoints`, { url: receiver.url, types: ['*'] });
    const { body: first } = await deliveries({ limit: 3 }).expect(200);
    const { body: second } = await deliveries({ limit: 3, cursor: first.nextCursor }).expect(200);
    const shown = [...first.items, ...second.items];
    expect(shown.map(({ eventId }: { eventId: string }) => eventId)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
    expect(shown[0]).toMatchObject({ type: 'session.ended', timestamp: '2026-03-01T09:03:00.000Z', attempts: 10 });
  });

  test('is filtered by status and time', async () => {
    const [delivered] = [await store(1, { status: 'delivered', lastStatus: 200 }), await store(2)];
    const failed = await store(3);
    const idsOf = async (query: object) =>
      (await deliveries(query).expect(200)).body.items.map(({ eventId }: { eventId: string }) => eventId);
    expect(await idsOf({ status: 'delivered' })).toEqual([delivered]);
    expect(await idsOf({ status: 'pending' })).toEqual([]);
    expect(await idsOf({ status: 'failed', from: '2026-03-01T09:03:00Z' })).toEqual([failed]);
    expect(await idsOf({ to: '2026-03-01T09:02:00Z' })).toEqual([delivered]);
  });

  test('finds the few that are still to be sent without reading the many that were delivered', async () => {
    await store(1, { status: 'pending', nextAttemptAt: new Date('2026-03-01T10:00:00Z') });
    await controlPlane.prisma.$executeRaw`
      INSERT INTO webhook_delivery (endpoint_id, time, event_id, status, next_attempt_at)
      SELECT ${id}::uuid, '2026-03-01T09:00:00Z'::timestamptz + index * interval '1 second', gen_random_uuid(), 'delivered', NULL
      FROM generate_series(1, 5000) AS index`;
    await controlPlane.prisma.$executeRaw`ANALYZE webhook_delivery`;
    const [found, read] = await controlPlane.prisma.$transaction(async (transaction) => {
      const filter = { status: 'pending', from: undefined, to: undefined } as const;
      const pending = await listWebhookDeliveries(transaction, id, filter, undefined, 11);
      const [rows] = await transaction.$queryRaw<{ read: number }[]>`
        SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname LIKE 'webhook_delivery%'`;
      return [pending.length, rows?.read];
    });
    expect(found).toBe(1);
    expect(read).toBeLessThan(100);
  });

  test('takes no cursor of another endpoint, and no empty time', async () => {
    await store(1);
    await store(2);
    const { nextCursor: cursor } = (await deliveries({ limit: 1 }).expect(200)).body;
    const { body } = await send('post', `projects/${tenant.projectId}/webhook-endpoints`, {
      url: receiver.url,
      types: ['*'],
    });
    id = body.webhookEndpointId;
    expect(Object.keys((await deliveries({ cursor }).expect(400)).body.errors)).toEqual(['cursor']);
    const empty = { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' };
    expect(Object.keys((await deliveries(empty).expect(400)).body.errors)).toEqual(['to']);
  });
});

describe('a retry', () => {
  test('makes a delivery due, and keeps what is known of it', async () => {
    const eventId = await store(1);
    const { body } = await retry(eventId).expect(200);
    expect(body).toMatchObject({ eventId, status: 'pending', attempts: 10, lastStatus: 503 });
    expect(Math.abs(Date.parse(body.nextAttemptAt) - Date.now())).toBeLessThan(60_000);
    expect((await deliveries().expect(200)).body.items).toEqual([body]);
  });

  test('of what was not sent to the endpoint, or to one that is disabled, is refused', async () => {
    const eventId = await storeEvent(controlPlane.prisma, tenant.development);
    for (const unknown of [eventId, randomUUID()]) expect((await retry(unknown)).status).toBe(404);
    await store(1);
    await send('patch', `webhook-endpoints/${id}`, { enabled: false }).expect(200);
    const detail = 'The webhook endpoint is disabled: enable it first.';
    expect((await retry(await store(2))).body).toMatchObject({ status: 409, detail });
    expect((await replay({ from: '2026-02-28T00:00:00Z' })).body).toMatchObject({ status: 409, detail });
  });
});

describe('a replay', () => {
  test('is left to the background, one at a time, and audited', async () => {
    const asked = { from: '2026-02-01T12:00:00+02:00', types: ['license.*'], onlyFailed: true };
    const { body } = await replay(asked).expect(200);
    expect(body).toEqual({ ...asked, from: '2026-02-01T10:00:00.000Z', to: '2026-03-01T10:00:00.000Z' });
    const rows = await controlPlane.prisma.webhookReplay.findMany({ where: { endpointId: id } });
    expect(rows).toMatchObject([
      { from: new Date(body.from), to: new Date(body.to), types: ['license.*'], cursor: null },
    ]);
    const detail = 'A replay to the webhook endpoint is in progress.';
    expect((await replay(asked)).body).toMatchObject({ status: 409, detail });
    await controlPlane.prisma.webhookReplay.deleteMany({ where: { endpointId: id } });
    expect((await replay({ from: '2026-02-28T00:00:00Z' }).expect(200)).body).toMatchObject({
      types: null,
      onlyFailed: false,
    });
    const where = { recordId: id, action: 'webhookEndpoint.replay' };
    expect(await controlPlane.prisma.auditEvent.findMany({ where })).toMatchObject([{ details: body }, {}]);
    await send('delete', `webhook-endpoints/${id}`).expect(204);
    expect(await controlPlane.prisma.webhookReplay.count({ where: { endpointId: id } })).toBe(0);
  });

  test.each([
    ['a year', { from: '2025-03-01T00:00:00Z' }],
    ['a moment over 31 days', { from: '2026-01-29T09:59:59.999Z' }],
    ['the future', { from: '2026-03-01T10:00:00.001Z' }],
    ['no time', { from: '2026-02-28T00:00:00Z', to: '2026-02-28T00:00:00Z' }],
  ])('of %s is rejected', async (_case, body) => {
    expect(Object.keys((await replay(body).expect(400)).body.errors)).toEqual(['from']);
  });

  test('of exactly 31 days is accepted, and its end is now at the latest', async () => {
    const { body } = await replay({ from: '2026-01-29T10:00:00Z', to: '2027-01-01T00:00:00Z' }).expect(200);
    expect(body.to).toBe('2026-03-01T10:00:00.000Z');
  });
});
