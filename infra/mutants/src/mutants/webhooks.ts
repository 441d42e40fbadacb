import type { Mutant } from '../mutant';

const source = 'services/control-plane/src/webhooks';

/** Protections of the deliveries to webhook endpoints. */
export const webhookMutants: Mutant[] = [
  {
    name: 'webhook-lease-kept-for-ever',
    protection: 'The lease of a process that was killed expires.',
    file: `${source}/endpoint-leases.ts`,
    find: ' OR leased_until <= clock_timestamp()',
    replace: '',
    suite: 'webhook-task.test',
  },
  {
    name: 'webhook-lease-ignored',
    protection: 'An endpoint whose lease another process holds is left to it.',
    file: `${source}/endpoint-leases.ts`,
    find: 'leased_until <= clock_timestamp()',
    replace: 'true',
    suite: 'webhook-task.test',
  },
  {
    name: 'webhook-lease-not-given-up',
    protection: 'A process that stops gives up its leases.',
    file: `${source}/held-endpoints.ts`,
    find: '    await this.leases.giveUp(ids);\n',
    replace: '',
    suite: 'webhook-task.test',
  },
  {
    name: 'webhook-failure-counted-as-success',
    protection: 'Only an answer of 2xx counts as a success.',
    file: `${source}/webhook-sender.ts`,
    find: ' && status < 300',
    replace: '',
    suite: 'webhook-sender.test',
  },
  {
    name: 'webhook-address-checked-once',
    protection: 'The address of an endpoint is checked when an event is sent, and not only when it is registered.',
    file: 'packages/service-kit/src/outbound/outbound-request.ts',
    find: 'addresses.some((address) => guard.refuses(address))',
    replace: 'addresses.length === 0',
    suite: 'webhook-sender.test',
  },
  {
    name: 'webhook-success-undone',
    protection: 'A failure that is told late does not undo a success.',
    file: `${source}/delivery-results.ts`,
    find: ' AND delivery.next_attempt_at IS NOT NULL',
    replace: '',
    suite: 'due-deliveries.test',
  },
  {
    name: 'webhook-replays-first',
    protection: 'New events come before replays.',
    file: `${source}/due-deliveries.ts`,
    find: 'ORDER BY delivery.is_replay, delivery.next_attempt_at',
    replace: 'ORDER BY delivery.next_attempt_at',
    suite: 'due-deliveries.test',
  },
  {
    name: 'webhook-organization-takes-all-places',
    protection: 'Endpoints of one organization leave places for those of others.',
    file: `${source}/organization-gate.ts`,
    find: 'const maximumActiveEach = 64;',
    replace: 'const maximumActiveEach = 512;',
    suite: 'organization-gate.test',
  },
  {
    name: 'webhook-sent-again',
    protection: 'An event that is stored again is not delivered again.',
    file: 'services/control-plane/src/events/event-rows.ts',
    find: 'events.filter(({ id }) => inserted.has(id))',
    replace: 'events',
    suite: 'webhook-deliveries.test',
  },
];
