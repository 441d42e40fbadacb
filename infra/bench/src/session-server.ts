import { type Contender, connections, operations, sessionStatuses } from './contender';
import type { BenchRequest, LoadGenerator } from './load';
import { requireStatus } from './measure';

/** The body of a create, for a viewer of its own. */
export const createBody = JSON.stringify({
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  subject: 'viewer-{unique}',
  useEnvironmentDefaults: true,
});

/** How many sessions are started by one job of the load, which keeps their answers of 5 KB. */
const sessionsAtOnce = 5_000;

interface SessionServer<Session> {
  url: string;
  /** Where sessions are started; default: at the same URL. */
  startUrl?: string;
  /** Starts a session. */
  create: BenchRequest;
  /** Makes the request of an operation on a started session. */
  requestOn(session: Session, operation: 'renew' | 'license' | 'release'): BenchRequest;
}

/** The measured requests of a server that has every operation on sessions. */
export function sessionOperations<Session>({
  url,
  startUrl = url,
  create,
  requestOn,
}: SessionServer<Session>): Pick<Contender, 'operations' | 'expected' | 'prepare'> {
  const start = async (count: number, generator: LoadGenerator): Promise<Session[]> => {
    const { answers, statuses } = await generator.run({
      urls: [startUrl],
      requests: [create],
      count,
      connections,
      keepsAnswers: true,
    });
    requireStatus(statuses, sessionStatuses.create, count, startUrl);
    return answers.map((answer) => JSON.parse(answer) as Session);
  };
  return {
    operations,
    expected: sessionStatuses,
    prepare: async (operation, count, generator) => {
      if (operation === 'create') return [create];
      const requests: BenchRequest[] = [];
      while (requests.length < count) {
        const sessions = await start(Math.min(count - requests.length, sessionsAtOnce), generator);
        requests.push(...sessions.map((session) => requestOn(session, operation)));
      }
      return requests;
    },
  };
}
