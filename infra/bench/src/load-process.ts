import { Pool } from 'undici';
import { type BenchRequest, type LoadJob, type LoadResult, withUnique } from './load';

/**
 * Sends the requests of a job, in a process of its own so that it takes no time of the server or of the measurement. With a
 * rate, a request's time counts from when it was due: a server that stalls delays all that are due meanwhile.
 */
async function run({ url, connections, requests, count, perSecond }: LoadJob): Promise<LoadResult> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const milliseconds: number[] = [];
  const statuses: Record<string, number> = {};
  const begin = performance.now();
  let next = 0;

  const send = async ({ path, headers, body }: BenchRequest, since: number): Promise<void> => {
    const answer = await pool.request({ method: 'POST', path, headers, body: body ?? null });
    await answer.body.dump();
    milliseconds.push(performance.now() - since);
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
  };
  const requestOf = (index: number): BenchRequest => {
    const request = requests[index % requests.length];
    if (request === undefined) throw new Error('a job has at least one request');
    return withUnique(request, `${begin}-${index}`);
  };

  if (perSecond === undefined) {
    const connection = async (): Promise<void> => {
      while (next < count) await send(requestOf(next++), performance.now());
    };
    await Promise.all(Array.from({ length: connections }, connection));
  } else {
    const sent: Promise<void>[] = [];
    for (; next < count; next += 1) {
      const due = begin + (next * 1_000) / perSecond;
      while (performance.now() < due) await new Promise(setImmediate);
      sent.push(send(requestOf(next), due));
    }
    await Promise.all(sent);
  }
  const seconds = (performance.now() - begin) / 1_000;
  await pool.close();
  return { seconds, milliseconds, statuses };
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
