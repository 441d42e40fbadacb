import { randomBytes } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane({ environment: { TRUSTED_PROXIES: 'loopback' } });
  tenant = await createTenant(controlPlane);
});

const call = (key: string) =>
  controlPlane.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
    .set(bearer(key))
    .expect(401);
const callFrom = (address: string) => call(newGuess()).set('X-Forwarded-For', address);
const newGuess = () => `mk_${randomBytes(32).toString('base64url')}`;
const refusals = () => controlPlane.prisma.auditEvent.findMany({ where: { action: 'signIn.refuse' } });

test('a sign-in with a revoked key is audited in the organization of the key', async () => {
  const revokedAt = controlPlane.clock.now;
  await call(await createManagementKey(controlPlane, tenant.organizationId, { role: 'owner', revokedAt }));
  await eventually(async () =>
    expect(await refusals()).toMatchObject([
      { organizationId: tenant.organizationId, recordType: 'managementKey', details: { reason: 'key' } },
    ]),
  );
});

test('guessed keys are audited without their values, but cannot fill the table', async () => {
  const guesses = Array.from({ length: 30 }, newGuess);
  for (const guess of guesses) await call(guess);
  await eventually(async () => expect((await refusals()).length).toBe(10));
  const text = JSON.stringify(await refusals());
  for (const guess of guesses) expect(text).not.toContain(guess);
});

test.each([
  ['ports', (guess: number) => `203.0.113.7:${50_000 + guess}`, /^203\.0\.113\.7$/],
  ['addresses of one /64 network', (guess: number) => `[2001:db8:1:2::${guess}]:443`, /^2001:db8:1:2::\d+$/],
])('guessing from changing %s is counted together, and audited with the full address', async (_what, from, whole) => {
  for (let guess = 1; guess <= 15; guess += 1) await callFrom(from(guess));
  const audited = async () => (await refusals()).filter(({ address }) => whole.test(address ?? ''));
  await eventually(async () => expect(await audited()).toHaveLength(10));
});

test('neither can guesses from many addresses, beside which a revoked key is still audited', async () => {
  const revokedAt = controlPlane.clock.now;
  const revoked = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer', revokedAt });
  const before = (await refusals()).length;
  for (let guess = 0; guess < 120; guess += 1) await callFrom(`198.51.100.${guess}`);
  await call(revoked).set('X-Forwarded-For', '198.51.100.200');
  const audited = async () => (await refusals()).slice(before);
  await eventually(async () =>
    expect((await audited()).map(({ details }) => details)).toContainEqual({ reason: 'key' }),
  );
  // The other tests have audited some guesses in this minute.
  expect((await audited()).length).toBeLessThanOrEqual(101);
});

test('the log line of a refused sign-in contains its code', async () => {
  await call(newGuess());
  const line = controlPlane.log.findLast(({ message }) => message === 'request');
  expect(line?.fields).toMatchObject({ status: 401, code: 'authentication_required' });
});
