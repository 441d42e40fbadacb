import { type Contender, operations } from './contender';
import { inParallel } from './in-parallel';
import { type BenchRequest, withUnique } from './load';

/** The body of a create, for a viewer of its own. */
export const createBody = JSON.stringify({
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  subject: 'viewer-{unique}',
  useEnvironmentDefaults: true,
});

interface SessionServer<Session> {
  url: string;
  /** Starts a session. */
  create: BenchRequest;
  /** Makes the request of an operation on a started session. */
  requestOn(session: Session, operation: 'renew' | 'license' | 'release'): BenchRequest;
}

/** The measured requests of a server that has every operation on sessions. */
export function sessionOperations<Session>({
  url,
  create,
  requestOn,
}: SessionServer<Session>): Pick<Contender, 'operations' | 'expected' | 'prepare'> {
  let sessions = 0;
  const start = async (): Promise<Session> => {
    sessions += 1;
    const { path, headers, body } = withUnique(create, `prepared-${sessions}`);
    const response = await fetch(url + path, { method: 'POST', headers, body: body ?? null });
    if (!response.ok) throw new Error(`a create got ${response.status} ${await response.text()}`);
    return (await response.json()) as Session;
  };
  return {
    operations,
    expected: { create: 200, renew: 200, license: 200, release: 204 },
    prepare: async (operation, count) =>
      operation === 'create' ? [create] : inParallel(count, async () => requestOn(await start(), operation)),
  };
}
