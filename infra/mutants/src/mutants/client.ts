import type { Mutant } from '../mutant';

const source = 'packages/client/src';

/** Protections of the package for customers' backends. */
export const clientMutants: Mutant[] = [
  {
    name: 'client-lost-create',
    protection: 'A create whose answer got lost holds no slot after it has failed.',
    file: `${source}/playback-client.ts`,
    find: 'if (mayHaveStarted) this.#releaseInBackground',
    replace: 'if (mayHaveStarted && !(error instanceof Error)) this.#releaseInBackground',
    suite: 'client/src/call-service.test',
  },
  {
    name: 'client-one-session-id',
    protection: 'All attempts of a create have one session id.',
    file: `${source}/playback-client.ts`,
    find: 'const { sessionId = this.#surroundings.randomUUID(), subject } = request;',
    replace: 'const { sessionId, subject } = { sessionId: undefined as never, ...request };',
    suite: 'client/src/call-service.test',
  },
  {
    name: 'client-redirections',
    protection: 'A redirection does not take the access key to another host.',
    file: `${source}/playback-client.ts`,
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
    suite: 'client/src/playback-client.test',
  },
  {
    name: 'client-unsendable-key',
    protection: 'An access key that no header can have is not quoted in an error.',
    file: `${source}/playback-client.ts`,
    find: "if (!/^[!-~]+$/.test(value ?? ''))",
    replace: "if (value === '')",
    suite: 'client/src/playback-client.test',
  },
  {
    name: 'client-answer-text',
    protection: 'An error does not quote an answer, in which a proxy may repeat the access key.',
    file: `${source}/answer.ts`,
    find: ', but not from the service`',
    replace: ': ` + text',
    suite: 'client/src/playback-client.test',
  },
  {
    name: 'client-active-sessions',
    protection: 'An error that is sent as JSON does not tell what others of the household watch.',
    file: `${source}/playback-error.ts`,
    find: 'this.#activeSessions = activeSessions;',
    replace: 'Object.assign(this, { sessions: activeSessions });',
    suite: 'client/src/playback-client.test',
  },
  {
    name: 'client-proxy-json',
    protection: "A proxy's 503 in JSON is repeated, although it has a code.",
    file: `${source}/answer.ts`,
    find: "typeof member(body, 'code') === 'string' && typeof member(body, 'retryable') === 'boolean'",
    replace: "typeof member(body, 'code') === 'string'",
    suite: 'client/src/call-service.test',
  },
  {
    name: 'client-long-wait',
    protection: 'Nobody waits for a Retry-After beyond the deadline.',
    file: `${source}/call-service.ts`,
    find: 'if (surroundings.now() + wait >= deadline) throw error;',
    replace: 'if (surroundings.now() >= deadline) throw error;',
    suite: 'client/src/call-service.test',
  },
  {
    name: 'client-webhook-time',
    protection: 'A recorded event cannot be sent again later.',
    file: `${source}/webhooks.ts`,
    find: 'Math.abs(date / 1000 - Number(timestamp)) <= toleranceSeconds',
    replace: 'timestamp !== undefined && toleranceSeconds > 0',
    suite: 'client/src/webhooks.test',
  },
];
