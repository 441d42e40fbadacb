import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';
import { callHead, callRow, measureCall, totalOf } from './compare-commits';
import { type Contender, sessionStatuses } from './contender';
import { LoadGenerator } from './load';

/** A server that answers each request with this status and notes its name. */
async function startContender(name: string, asked: string[], status = 200): Promise<Contender> {
  const url = await startHttpServer((request, response) => {
    asked.push(name);
    request.resume().on('end', () => response.writeHead(status).end());
  });
  return {
    name,
    url,
    pid: process.pid,
    expected: sessionStatuses,
    operations: ['create'],
    prepare: async () => [{ path: '/', headers: {} }],
    stop: async () => undefined,
  };
}

async function measureOne(asked: string[], statusHere?: number) {
  const [here, commit, again] = await Promise.all([
    startContender('here', asked, statusHere),
    startContender('commit', asked),
    startContender('again', asked),
  ]);
  const generator = LoadGenerator.start();
  try {
    const extent = { connections: 1, rounds: 3, warmUp: 1, count: 1 };
    return await measureCall({ name: 'create', operation: 'create', here, commit, again }, generator, extent);
  } finally {
    generator.stop();
    for (const contender of [here, commit, again]) await contender.stop();
  }
}

test('the deployments are measured in alternating rounds, each of which begins with another one', async () => {
  const asked: string[] = [];
  const call = await measureOne(asked);
  const firstRound = asked.indexOf('again') + 2; // each is warmed up by two requests
  expect(asked.slice(firstRound)).toEqual([
    ...['here', 'commit', 'again'],
    ...['commit', 'again', 'here'],
    ...['again', 'here', 'commit'],
  ]);
  const threeRounds = [expect.any(Number), expect.any(Number), expect.any(Number)];
  expect(call).toEqual({ name: 'create', here: threeRounds, commit: threeRounds, again: threeRounds });
});

test('a comparison ends with a message if a deployment gives wrong answers', async () => {
  await expect(measureOne([], 404)).rejects.toThrow('here, first create: the answers were {"404":1}');
});

test('the table has the median of the rounds’ ratios, beside that of the same commit, for each call and their sum', () => {
  const calls = [
    { name: 'create', here: [110, 300, 90], commit: [100, 200, 100], again: [101, 198, 100] },
    { name: 'release', here: [50, 60, 50], commit: [50, 50, 50], again: [50, 50, 50] },
  ];
  const lines = [callHead({ name: '2c8e3d9' }), ...calls.map(callRow), callRow(totalOf(calls))];
  expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'CPU µs of a call 2c8e3d9 here here / 2c8e3d9 the same commit again',
    'create 100 110 1.100 (0.900 to 1.500) 1.000 (0.990 to 1.010)',
    'release 50 50 1.000 (1.000 to 1.200) 1.000 (1.000 to 1.000)',
    'all of these 150 160 1.067 (0.933 to 1.440) 1.000 (0.992 to 1.007)',
  ]);
});
