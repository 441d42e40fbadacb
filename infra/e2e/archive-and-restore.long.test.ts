import { randomUUID } from 'node:crypto';
import type { Customer } from '@multi-drm/test-kit/services/customer';
import { operatorKey } from '@multi-drm/test-kit/services/service-process';
import { type StartedServices, startServices } from './started-services';

let services: StartedServices;
let customer: Customer;

beforeAll(async () => {
  services = await startServices();
});
beforeEach(async () => {
  customer = await services.register();
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
