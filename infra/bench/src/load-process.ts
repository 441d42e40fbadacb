import { Pool } from 'undici';
import { type BenchRequest, type LoadJob, type LoadResult, withUnique } from './load';

/**
 * Sends the requests of a job, in a process of its own so that it takes no time of the server or of the measurement. With a
 * rate, a request's time counts from when it was due: a server that stalls delays all that are due meanwhile.
 */
async function run(job: LoadJob): Promise<LoadResult> {
  const { urls, connections, requests, count, perSecond, perUnique = 1, keepsAnswers = false } = job;
  const each = { connections: Math.ceil(connections / urls.length), pipelining: 1 };
  const pools = urls.map((url) => new Pool(url, each));
  const milliseconds: number[] = [];
  const statuses: Record<string, number> = {};
  const answers: string[] = [];
  const begin = performance.now();
  // Of the same length in each job, so that names of viewers take the same memory.
  const jobName = Math.round(begin * 1_000)
    .toString()
    .padStart(11, '0');
  let next = 0;

  const requestOf = (index: number): BenchRequest => {
    const request = requests[index % requests.length];
    if (request === undefined) throw new Error('a job has at least one request');
    return withUnique(request, `${jobName}-${String(Math.floor(index / perUnique)).padStart(6, '0')}`);
  };
  const send = async (index: number, since: number): Promise<void> => {
    const pool = pools[index % pools.length];
    if (pool === undefined) throw new Error('a job has at least one server');
    const { path, headers, body } = requestOf(index);
    const answer = await pool.request({ method: 'POST', path, headers, body: body ?? null });
    if (keepsAnswers && answer.statusCode < 300) answers.push(await answer.body.text());
    else await answer.body.dump();
    milliseconds.push(performance.now() - since);
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
  };

  if (perSecond === undefined) {
    const connection = async (): Promise<void> => {
      while (next < count) await send(next++, performance.now());
    };
    await Promise.all(Array.from({ length: connections }, connection));
  } else {
    const sent: Promise<void>[] = [];
    for (; next < count; next += 1) {
      const due = begin + (next * 1_000) / perSecond;
      while (performance.now() < due) await new Promise(setImmediate);
      sent.push(send(next, due));
    }
    await Promise.all(sent);
  }
  const seconds = (performance.now() - begin) / 1_000;
  for (const pool of pools) await pool.close();
  return { seconds, milliseconds, statuses, answers };
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
