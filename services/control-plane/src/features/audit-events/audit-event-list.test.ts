import { randomUUID } from 'node:crypto';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { formatCursor } from './cursor';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let ownerKeyId: string;
/** Ids of the test events, newest first. */
let events: string[];

interface Page {
  items: { auditEventId: string; action: string; recordId: string; occurredAt: string }[];
  total: number | null;
  nextCursor: string | null;
}

const list = (query: object = {}, { organizationId, key } = tenant) =>
  controlPlane.api.get(`/api/v1/management/organizations/${organizationId}/audit-events`).query(query).set(bearer(key));
const page = async (query: object): Promise<Page> => (await list(query).expect(200)).body;
const idsOf = ({ items }: Page) => items.map(({ auditEventId }) => auditEventId);
const second = (number: number) => new Date(Date.UTC(2026, 2, 5, 0, 0, number));
/** Inserts an event with a time this many seconds later. */
async function addEvent(at: Date, { organizationId } = tenant): Promise<string> {
  const { id } = await controlPlane.prisma.auditEvent.create({
    data: {
      organizationId,
      occurredAt: at,
      actorKind: 'operator',
      actorId: 'night shift',
      action: 'organization.update',
      recordType: 'organization',
      recordId: organizationId,
      requestId: randomUUID(),
    },
  });
  return id;
}

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  const owner = await controlPlane.prisma.managementKey.findFirstOrThrow({
    where: { organizationId: tenant.organizationId },
  });
  ownerKeyId = owner.id;
  // Several events at one moment, so that a page can end between them.
  const made = [];
  for (const number of [1, 2, 2, 2, 2, 3, 4, 4, 5]) made.push({ number, id: await addEvent(second(number)) });
  events = made.sort((a, b) => b.number - a.number || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
});

test('following the cursor returns every event once, newest first', async () => {
  const all = idsOf(await page({ limit: 200 }));
  expect(all.slice(0, events.length)).toEqual(events);
  const followed: string[] = [];
  let cursor: string | null | undefined;
  do {
    const found = await page({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    // The total is counted only without a cursor.
    expect(found.total).toBe(cursor === undefined ? all.length : null);
    followed.push(...idsOf(found));
    cursor = found.nextCursor;
  } while (cursor !== null);
  expect(followed).toEqual(all);
});

test('events added meanwhile neither shift the followed pages nor appear on them', async () => {
  const other = await createTenant(controlPlane);
  const made: string[] = [];
  for (const number of [1, 2, 3, 4]) made.unshift(await addEvent(second(number), other));
  const first = (await list({ limit: 2 }, other).expect(200)).body;
  expect(idsOf(first)).toEqual(made.slice(0, 2));
  for (const number of [4, 5, 6]) await addEvent(second(number), other);
  const next = (await list({ limit: 2, cursor: first.nextCursor }, other).expect(200)).body;
  expect(idsOf(next)).toEqual(made.slice(2));
  // An offset counts from the newest event.
  expect(idsOf((await list({ limit: 2, offset: 2 }, other).expect(200)).body)).not.toEqual(made.slice(2));
});

test('the last page has no cursor, even if it is full', async () => {
  const query = { action: 'organization.update', limit: events.length };
  expect(await page(query)).toMatchObject({ total: events.length, nextCursor: null });
  const { nextCursor } = await page({ ...query, limit: events.length - 1 });
  expect(await page({ ...query, limit: 1, cursor: nextCursor })).toMatchObject({ nextCursor: null });
});

describe('the filter', () => {
  test('action lists events of that action only', async () => {
    const found = await page({ action: 'environment.create' });
    expect(found.items.map(({ action }) => action)).toEqual(['environment.create', 'environment.create']);
    expect(found.total).toBe(2);
    expect((await page({ action: 'nothing.ever' })).total).toBe(0);
  });

  test('recordId lists the events of that record, in either case of the id', async () => {
    const { items } = await page({ recordId: tenant.projectId.toUpperCase() });
    expect(items).toMatchObject([{ action: 'project.create', recordId: tenant.projectId }]);
    await controlPlane.api
      .put(`/api/v1/management/environments/${tenant.production}/drm-systems/widevine`)
      .set(bearer(tenant.key))
      .send({ enabled: false })
      .expect(200);
    const systemEvents = await page({ recordId: `${tenant.production}/widevine` });
    expect(systemEvents.items).toMatchObject([{ action: 'drmSystem.configure' }]);
  });

  test('actor lists the events of that actor', async () => {
    expect(idsOf(await page({ actor: 'night shift' }))).toEqual(events);
    const { items } = await page({ actor: ownerKeyId, action: 'project.create' });
    expect(items).toMatchObject([{ recordId: tenant.projectId }]);
  });

  test('from is inclusive and to is exclusive; times may have any time zone', async () => {
    const found = await page({ from: '2026-03-05T01:00:02+01:00', to: second(4).toISOString() });
    expect(idsOf(found)).toEqual(events.slice(3, 8));
    expect(found.total).toBe(5);
  });

  test('stays in effect with the cursor', async () => {
    const query = { actor: 'night shift', from: second(2).toISOString(), limit: 3 };
    const first = await page(query);
    const next = await page({ ...query, cursor: first.nextCursor, limit: 200 });
    expect([...idsOf(first), ...idsOf(next)]).toEqual(events.slice(0, 8));
  });
});

test("another organization's cursor reveals none of its events", async () => {
  const other = await createTenant(controlPlane);
  const { nextCursor } = await page({ limit: 1 });
  const { items } = (await list({ cursor: nextCursor, limit: 200 }, other).expect(200)).body;
  for (const { organizationId } of items) expect(organizationId).toBe(other.organizationId);
});

const place = { occurredAt: second(1), id: '019ca83f-6800-7000-8000-000000000000' };
const encoded = (text: string) => Buffer.from(text).toString('base64url');
test.each<[Record<string, string>, string[]]>([
  [{ cursor: 'x' }, ['cursor']],
  [{ cursor: '' }, ['cursor']],
  [{ cursor: `${formatCursor(place)}=` }, ['cursor']],
  [{ cursor: encoded(`-1 ${place.id}`) }, ['cursor']],
  [{ cursor: encoded(`999999999999999 ${place.id}`) }, ['cursor']],
  [{ cursor: encoded(`1 ${place.id}' OR true`) }, ['cursor']],
  [{ cursor: formatCursor(place), offset: '1' }, ['offset']],
  [{ action: 'project' }, ['action']],
  [{ recordId: '' }, ['recordId']],
  [{ actor: '' }, ['actor']],
  [{ from: 'yesterday' }, ['from']],
  [{ to: '2026-02-30T00:00:00Z' }, ['to']],
  [{ from: '2026-03-05T00:00:00Z', to: '2026-03-05T00:00:00Z' }, ['to']],
  [{ sort: 'occurredAt' }, ['sort']],
])('%j is rejected by name', async (query, fields) => {
  const { body } = await list(query).expect(400);
  expect(Object.keys(body.errors)).toEqual(fields);
});

test('a cursor together with the default offset 0 is accepted', async () => {
  await list({ cursor: formatCursor(place), offset: '0' }).expect(200);
});

test.each([
  ['action', 'organization.update'],
  ['record_id', 'night'],
  ['actor_id', 'night shift'],
])('events filtered by %s are found in order by an index', async (column, value) => {
  const plan = await controlPlane.prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SET LOCAL enable_seqscan = off`;
    await transaction.$executeRaw`SET LOCAL enable_bitmapscan = off`;
    return transaction.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
      `EXPLAIN SELECT * FROM audit_event WHERE organization_id = $1::uuid AND ${column} = $2
       AND occurred_at <= now() ORDER BY occurred_at DESC, id DESC LIMIT 50`,
      tenant.organizationId,
      value,
    );
  });
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toContain(`Index Scan Backward using audit_event_organization_id_${column}_occurred_at_id_idx`);
  expect(text).not.toContain('Sort');
});

test('the operator reads the audit trail of any organization', async () => {
  await list({}, { ...tenant, key: operatorKey }).expect(200);
});
