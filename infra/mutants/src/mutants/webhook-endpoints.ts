import type { Mutant } from '../mutant';

const source = 'services/control-plane/src';

/** Protections of what administrators do with webhook endpoints. */
export const webhookEndpointMutants: Mutant[] = [
  {
    name: 'webhook-address-at-registration',
    protection: 'No webhook endpoint with an internal address is registered.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-validation.ts`,
    find: 'if (isRefusedHost(hostname, guard)) messages',
    replace: 'if (isRefusedHost(hostname, guard) && messages.length > 1) messages',
    suite: 'webhook-endpoints.test -t URL',
  },
  {
    name: 'webhook-http-for-listed-hosts',
    protection: 'Events are sent in the clear only to hosts that the operator lists.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-validation.ts`,
    find: "protocol !== 'https:' && !guard.lists(hostname)",
    replace: "protocol !== 'https:' && hostname === ''",
    suite: 'webhook-endpoints.test -t URL',
  },
  {
    name: 'webhook-reserved-headers',
    protection: 'Headers of a webhook endpoint replace none of those that every event has.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-validation.ts`,
    find: 'reserved.test(lowerCase)',
    replace: 'reserved.test(name.toUpperCase())',
    suite: 'webhook-endpoints.test -t header',
  },
  {
    name: 'webhook-endpoints-counted',
    protection: 'A project has 20 webhook endpoints at most, also if they are created at the same time.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-service.ts`,
    find: "await lockRow(transaction, 'project', projectId);",
    replace: '',
    suite: 'webhook-endpoints.test -t room',
  },
  {
    name: 'webhook-rotation-overlap',
    protection: 'A rotation does not end the overlap that another one has promised.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-service.ts`,
    find: 'if (overlapSeconds !== 0) requireNoOverlap(before, now);',
    replace: 'if (overlapSeconds < 0) requireNoOverlap(before, now);',
    suite: 'webhook-endpoints.test -t rotations',
  },
  {
    name: 'removed-webhook-secrets',
    protection: 'Of a webhook endpoint that was removed, no secret is kept.',
    file: `${source}/features/webhook-endpoints/webhook-endpoint-service.ts`,
    find: "secret: '', ...noPreviousSecret, secretHeaders: {}",
    replace: '...noPreviousSecret',
    suite: 'webhook-endpoints.test -t removed',
  },
  {
    name: 'one-replay-at-a-time',
    protection: 'One replay to a webhook endpoint is worked through at a time.',
    file: `${source}/features/webhook-endpoints/webhook-delivery-service.ts`,
    find: 'if (await isReplaying(transaction, endpoint.id)) {',
    replace: "if ((await isReplaying(transaction, endpoint.id)) && types.includes('*')) {",
    suite: 'webhook-deliveries.test -t replay',
  },
  {
    name: 'longest-replay',
    protection: 'A replay sends the events of 31 days at most.',
    file: `${source}/features/webhook-endpoints/webhook-delivery-service.ts`,
    find: 'maximumReplayedDays * dayMilliseconds',
    replace: '365 * maximumReplayedDays * dayMilliseconds',
    suite: 'webhook-deliveries.test -t replay',
  },
  {
    name: 'rotated-webhook-secrets',
    protection: 'A rotation of secrets encrypts those of webhook endpoints.',
    file: `${source}/secrets/secret-holders.ts`,
    find: 'if (stored === undefined) return false;',
    replace: 'if (stored === undefined || stored.secret !== null) return false;',
    suite: 'rotate-secrets.test -t webhook',
  },
];
