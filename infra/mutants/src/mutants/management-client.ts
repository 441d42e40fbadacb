import type { Mutant } from '../mutant';

const source = 'packages/management-client/src';

/** Protections of the client of the control plane. */
export const managementClientMutants: Mutant[] = [
  {
    name: 'management-credential-in-error',
    protection: 'A credential that no header can have is refused without being shown.',
    file: `${source}/management-client.ts`,
    find: '!/^[\\x21-\\x7e]+$/.test(value)',
    replace: 'false',
    suite: 'management-client.test',
  },
  {
    name: 'management-answer-quoted',
    protection: 'The error of an answer that is no JSON does not quote it.',
    file: `${source}/management-client.ts`,
    find: 'throw new UnreadableAnswerError(status);',
    replace: 'return JSON.parse(String(text));',
    suite: 'unreliable-network.test',
  },
  {
    name: 'management-version-missing',
    protection: 'An ifMatch that is undefined is refused, not left out.',
    file: `${source}/management-client.ts`,
    find: "'ifMatch' in options && ifMatch === undefined",
    replace: 'false',
    suite: 'unreliable-network.test',
  },
  {
    name: 'management-redirect-followed',
    protection: 'A call that is redirected is not made again elsewhere, perhaps as a GET.',
    file: `${source}/management-client.ts`,
    find: "    redirect: 'manual',\n",
    replace: '',
    suite: 'unreliable-network.test',
  },
  {
    name: 'management-proxy-as-problem',
    protection: 'The JSON of a proxy is not taken for a problem of the control plane.',
    file: `${source}/receive.ts`,
    find: " && typeof retryable === 'boolean'",
    replace: '',
    suite: 'unreliable-network.test',
  },
];
