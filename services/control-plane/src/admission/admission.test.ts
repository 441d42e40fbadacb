import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { newKey } from '../access/credentials';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { bearer, createManagementKey, createTenant, newRegistration, type TestTenant } from '../testing/records';

const management = '/api/v1/management';
let controlPlane: TestControlPlane;
let tenant: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  controlPlane = await startControlPlane({
    environment: {
      TRUSTED_PROXIES: 'loopback',
      ORGANIZATION_REQUESTS_PER_MINUTE: '6',
      ORGANIZATION_REQUESTS_AT_ONCE: '2',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '5',
      REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: '3',
    },
  });
  tenant = await createTenant(controlPlane);
  other = await createTenant(controlPlane);
});
// A new minute for each test.
beforeEach(() => {
  controlPlane.clock.now = new Date((Math.floor(controlPlane.clock.now.getTime() / 60_000) + 1) * 60_000);
});

const get = (path: string, key: string) => controlPlane.api.get(`${management}${path}`).set(bearer(key));
const projectsOf = ({ organizationId, key }: TestTenant, withKey = key) =>
  get(`/organizations/${organizationId}/projects`, withKey);
const contentOf = ({ development, key }: TestTenant) => get(`/environments/${development}/content`, key);

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await controlPlane.prisma.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length;
}

/** Runs a test while a table is locked even against reading. */
async function whileLocked(table: string, run: () => Promise<void>): Promise<void> {
  await controlPlane.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await run();
  });
}

describe('requests of an organization', () => {
  test('are counted together for all of its keys, and not for another organization', async () => {
    const second = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    for (let call = 0; call < 3; call += 1) {
      await projectsOf(tenant).expect(200);
      await projectsOf(tenant, second).expect(200);
    }
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 12_000);
    const { body, headers } = await projectsOf(tenant, second).expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(headers['retry-after']).toBe('48');
    await projectsOf(other).expect(200);
  });

  test('are counted before any database lookup', async () => {
    for (let call = 0; call < 6; call += 1) await projectsOf(tenant).expect(200);
    await whileLocked('management_key', async () => {
      await projectsOf(tenant).expect(429);
    });
  });

  test('are not counted for the operator', async () => {
    for (let call = 0; call < 8; call += 1) await projectsOf(tenant, operatorKey).expect(200);
  });

  test('run two at the same time; further ones wait, but not those of another organization', async () => {
    let answered = 0;
    let calls: Promise<{ status: number }>[] = [];
    await whileLocked('content_asset', async () => {
      const lists = Array.from({ length: 4 }, () => contentOf(tenant));
      calls = [...lists, projectsOf(tenant)].map(async (call) => {
        const answer = await call;
        answered += 1;
        return answer;
      });
      await eventually(async () => expect(await waiting()).toBe(2));
      await projectsOf(other).expect(200);
      expect(await waiting()).toBe(2);
      expect(answered).toBe(0);
    });
    // Requests that waited for the lock may have timed out.
    expect((await Promise.all(calls)).map(({ status }) => status).filter((status) => status !== 503)).toContain(200);
  });

  test('with a credential seen for the first time leave the place of their address once it is known', async () => {
    const from = (key: string) => ({ ...bearer(key), 'X-Forwarded-For': '203.0.113.20' });
    const first = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    const second = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    const others = await createManagementKey(controlPlane, other.organizationId, { role: 'viewer' });
    const contentFor = (key: string) =>
      controlPlane.api.get(`${management}/environments/${tenant.development}/content`).set(from(key));
    let slow: Promise<unknown> = Promise.resolve();
    await whileLocked('content_asset', async () => {
      slow = Promise.all([contentFor(first), contentFor(second)].map(async (list) => list));
      await eventually(async () => expect(await waiting()).toBe(2));
      const projects = `${management}/organizations/${other.organizationId}/projects`;
      await controlPlane.api.get(projects).set(from(others)).expect(200);
      expect(await waiting()).toBe(2);
    });
    await slow;
  });

  test('keep no place when their caller has gone before it was known', async () => {
    const keys = [
      await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' }),
      await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' }),
    ];
    await whileLocked('management_key', async () => {
      // Not permitted, so that no handler gives the place back.
      const calls = keys.map((key) =>
        controlPlane.api.post(`${management}/environments/${tenant.development}/content`).set(bearer(key)),
      );
      for (const call of calls) call.end(() => undefined);
      await eventually(async () => expect(await waiting()).toBe(2));
      for (const call of calls) call.abort();
      // Long enough for the closed connections to be noticed.
      await controlPlane.api.get('/api/v1/plans').expect(200);
    });
    await projectsOf(tenant).expect(200);
  });

  test('keep their places until they are handled, also when their caller has gone', async () => {
    let answered = false;
    let next: Promise<unknown> = Promise.resolve();
    await whileLocked('content_asset', async () => {
      const lists = [contentOf(tenant), contentOf(tenant)];
      for (const list of lists) list.end(() => undefined);
      await eventually(async () => expect(await waiting()).toBe(2));
      for (const list of lists) list.abort();
      next = projectsOf(tenant).then(() => {
        answered = true;
      });
      // Time enough for the next call to be answered, if it had a place.
      for (let call = 0; call < 20; call += 1) await projectsOf(other, operatorKey).expect(200);
      expect(answered).toBe(false);
    });
    await next;
    expect(answered).toBe(true);
  });
});

describe('an unknown management key', () => {
  const from = (address: string, key = newKey('mk', randomBytes).key) =>
    projectsOf(tenant, key).set('X-Forwarded-For', address);

  test('is looked up only a few times a minute per address, without limiting other keys from that address', async () => {
    const { key } = newKey('mk', randomBytes);
    for (let call = 0; call < 3; call += 1) await from('203.0.113.7', key).expect(401);
    await whileLocked('management_key', async () => {
      const { body, headers } = await from('203.0.113.7', key).expect(429);
      expect(body.code).toBe('rate_limited');
      expect(headers['retry-after']).toBe('60');
    });
    await from('203.0.113.7').expect(401);
  });

  test('brings no budget of its own: unknown keys from one address (IPv6: one /64) are counted together', async () => {
    for (let call = 0; call < 5; call += 1) await from(`2001:db8:1:2::${call}`).expect(401);
    await from('2001:db8:1:2:3:4:5:6').expect(429);
    await from('2001:db8:1:3::7').expect(401);
  });

  test('does not block a known key from the same address', async () => {
    await from('203.0.113.8', tenant.key).expect(200);
    for (let call = 0; call < 5; call += 1) await from('203.0.113.8').expect(401);
    await from('203.0.113.8').expect(429);
    await from('203.0.113.8', tenant.key).expect(200);
  });
});

describe('a registration', () => {
  const register = (address: string, body: string | object = newRegistration()) =>
    controlPlane.api
      .post('/api/v1/organizations/registrations')
      .type('application/json')
      .set('X-Forwarded-For', address)
      .send(body);

  test.each([
    ['no JSON', '{', 400],
    ['an unknown field', '{"unknown":1}', 400],
    ['no field', '{}', 400],
  ])(
    'with %s counts for its address, which is then refused before its bodies are parsed',
    async (_how, body, status) => {
      const address = `203.0.113.${30 + body.length}`;
      for (let call = 0; call < 5; call += 1) await register(address, body).expect(status);
      // What is wrong with the next bodies is not found out.
      for (const next of ['{', '{"unknown":1}', newRegistration()]) {
        const { body: problem, headers } = await register(address, next).expect(429);
        expect(problem.code).toBe('rate_limited');
        expect(headers['retry-after']).toBe('60');
      }
      await register('203.0.113.29').expect(201);
    },
  );

  test('counts for its address if its caller hangs up while its body is being decompressed', async () => {
    const { hostname, port } = new URL(controlPlane.api.get('/').url);
    const body = gzipSync('{');
    const head =
      'POST /api/v1/organizations/registrations HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: 203.0.113.60\r\n' +
      `Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let call = 0; call < 5; call += 1) {
      const socket = connect(Number(port), hostname)
        .resume()
        .end(Buffer.concat([Buffer.from(head), body]));
      await once(socket, 'close');
    }
    await register('203.0.113.60').expect(429);
  });

  test('that is valid counts for nothing, and no refused one stops a credential that was valid before', async () => {
    for (let call = 0; call < 7; call += 1) await register('203.0.113.50').expect(201);
    await projectsOf(tenant).set('X-Forwarded-For', '203.0.113.51').expect(200);
    for (let call = 0; call < 5; call += 1) await register('203.0.113.51', '{').expect(400);
    await register('203.0.113.51').expect(429);
    await projectsOf(tenant).set('X-Forwarded-For', '203.0.113.51').expect(200);
  });

  test('is not refused because of invalid requests with a valid credential', async () => {
    const address = { 'X-Forwarded-For': '203.0.113.52' };
    const content = `${management}/environments/${other.development}/content`;
    for (let call = 0; call < 6; call += 1) {
      await controlPlane.api
        .post(content)
        .set({ ...bearer(other.key), ...address })
        .send({ unknown: 1 })
        .expect(400);
    }
    await register('203.0.113.52').expect(201);
  });
});
