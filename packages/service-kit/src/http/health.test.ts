import { Health } from './health';

const never = () => new Promise<never>(() => undefined);

function healthOf(checks: Record<string, () => Promise<unknown>>, now?: () => number) {
  return new Health({ service: 'tests', version: '1.2.3', checks, timeoutMilliseconds: 1, ...(now && { now }) });
}

describe('liveness', () => {
  test('depends on nothing and counts whole seconds', () => {
    let now = 5_000;
    const health = healthOf({ redis: never }, () => now);
    now = 7_999;
    expect(health.liveness()).toEqual({ status: 'live', service: 'tests', version: '1.2.3', uptimeSeconds: 2 });
    health.beginShutdown();
    expect(health.liveness().status).toBe('live');
  });
});

describe('readiness', () => {
  test('succeeds if every dependency answers, and reports latencies', async () => {
    const ticks = [0, 100, 100.4, 103.6, 110];
    const health = healthOf({ postgres: async () => 1, redis: async () => 'PONG' }, () => ticks.shift() ?? 0);
    expect(await health.readiness()).toEqual({
      status: 'ready',
      checks: { postgres: { status: 'up', latencyMilliseconds: 4 }, redis: { status: 'up', latencyMilliseconds: 10 } },
    });
  });

  test('succeeds if a dependency is full, and reports that', async () => {
    expect(await healthOf({ redis: async () => 'full' }).readiness()).toMatchObject({
      status: 'ready',
      checks: { redis: { status: 'full' } },
    });
  });

  test('succeeds without dependencies', async () => {
    expect(await healthOf({}).readiness()).toEqual({ status: 'ready', checks: {} });
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('away'))],
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['never answers', never],
  ])('fails if a check %s, and still reports the others', async (_how, check) => {
    expect(await healthOf({ redis: check, postgres: async () => 1 }).readiness()).toEqual({
      status: 'not_ready',
      checks: {
        redis: { status: 'down', latencyMilliseconds: expect.any(Number) },
        postgres: { status: 'up', latencyMilliseconds: expect.any(Number) },
      },
    });
  });

  test('recovers with the dependency', async () => {
    let away = true;
    const health = healthOf({ redis: async () => (away ? Promise.reject(new Error('away')) : 'PONG') });
    expect((await health.readiness()).status).toBe('not_ready');
    away = false;
    expect((await health.readiness()).status).toBe('ready');
  });

  test('fails once the shutdown has begun', async () => {
    const health = healthOf({ redis: async () => 'PONG' });
    health.beginShutdown();
    expect(await health.readiness()).toMatchObject({ status: 'not_ready', checks: { redis: { status: 'up' } } });
  });
});

test('probes that arrive while a dependency is being asked share its answer, and later ones ask again', async () => {
  let asked = 0;
  let answer: () => void = () => undefined;
  const check = () => {
    asked += 1;
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  };
  const health = new Health({ service: 'things', version: '1', checks: { store: check } });
  for (const round of [1, 2]) {
    const probes = [health.readiness(), health.readiness(), health.readiness()];
    answer();
    for (const report of await Promise.all(probes)) expect(report.status).toBe('ready');
    expect(asked).toBe(round);
  }
});

test('the reason is logged when a check begins to fail, not with every probe', async () => {
  const logged: unknown[] = [];
  let failure: Error | undefined;
  const store = async () => {
    if (failure !== undefined) throw failure;
  };
  const logger = { warn: (...line: unknown[]) => logged.push(line) };
  const health = new Health({ service: 'things', version: '1', checks: { store }, logger });
  for (const next of [undefined, new Error('away'), new Error('still away'), undefined, new Error('away again')]) {
    failure = next;
    await health.readiness();
  }
  expect(logged).toEqual([
    ['a readiness check fails', { check: 'store', error: new Error('away') }],
    ['a readiness check fails', { check: 'store', error: new Error('away again') }],
  ]);
});
