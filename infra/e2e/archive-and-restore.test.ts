import { randomUUID } from 'node:crypto';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/testing';
import { Customer } from './customer';
import { operatorKey, ServiceProcess } from './service-process';

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;
let playback: ServiceProcess;
let customer: Customer;

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  playback = await ServiceProcess.playback(redis.url);
  await Promise.all([controlPlane.start(), playback.start()]);
});
afterAll(async () => {
  await Promise.all([controlPlane.stop(), playback.stop()]);
  await Promise.all([database.drop(), redis.stop()]);
});
beforeEach(async () => {
  customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
  await customer.publish('lesson');
  await customer.synchronize({ subject: 'blocked', status: 'blocked' });
  await customer.followed('lesson');
});

/** Returns the error message of a refused call: URL, status and body. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'not refused',
    (error: Error) => error.message,
  );
const asOperator = { Authorization: `Bearer ${operatorKey}`, 'If-Match': '*' };

test.each([
  ['environment', () => `/environments/${customer.siteId}`],
  ['project', () => `/projects/${customer.projectId}`],
])('an archived %s with a session no longer plays, and plays again after it is restored', async (_kind, path) => {
  await customer.play('lesson', 'student');
  const refusal = await refusalOf(customer.manage('DELETE', path()));
  expect(refusal).toMatch(/ 409 .*record_in_use/);
  expect(refusal).toContain('Needed by the published content asset \\"lesson\\" and 2 active sessions.');

  await customer.manage('DELETE', `${path()}?cascade=true`);
  for (let refused = ''; !/ (401|404) /.test(refused); ) {
    refused = await refusalOf(customer.play('lesson', randomUUID()));
  }
  await customer.manage('POST', `${path()}/restore`);
  await customer.followed('lesson');
  expect(await refusalOf(customer.play('lesson', 'blocked'))).toContain('subject_blocked');
});

test('a restored organization plays again once the operator sets it to active', async () => {
  const path = `/organizations/${customer.organizationId}`;
  await customer.manage('DELETE', path, undefined, asOperator);
  for (let refused = ''; !/ (401|404) /.test(refused); ) {
    refused = await refusalOf(customer.play('lesson', randomUUID()));
  }
  await customer.manage('POST', `${path}/restore`, undefined, asOperator);
  for (let refused = ''; !refused.includes('environment_suspended'); ) {
    refused = await refusalOf(customer.play('lesson', randomUUID()));
    expect(refused).not.toBe('not refused');
  }
  await customer.manage('PATCH', path, { status: 'active' }, asOperator);
  await customer.followed('lesson');
  expect(await refusalOf(customer.play('lesson', 'blocked'))).toContain('subject_blocked');
});
