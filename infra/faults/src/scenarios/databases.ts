import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase, startPostgres } from '@multi-drm/test-kit';
import { type Answer, send } from '@multi-drm/test-kit/load/calls';
import { migrateDatabase } from '@multi-drm/test-kit/servers/template-database';
import { Stage, type StageOptions } from '@multi-drm/test-kit/stage/stage';
import { runOutage } from '../outage';
import type { Outcome } from '../outcome';
import type { Scenario } from '../scenario';

/** Creates a scenario that runs on a stage with a PostgreSQL of its own. */
export const withOwnPostgres =
  (
    run: (stage: Stage, postgres: Awaited<ReturnType<typeof startPostgres>>) => Promise<Outcome>,
    options: StageOptions = { playbacks: 2 },
  ): Scenario =>
  async () => {
    const postgres = await startPostgres();
    await migrateDatabase(postgres.url);
    const stage = await Stage.start({ ...options, databaseUrl: postgres.url });
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (!stopped) await postgres.stop();
      stopped = true;
    };
    try {
      return await run(stage, { ...postgres, stop });
    } finally {
      await stage.close();
      await stop();
    }
  };

/** Changes records repeatedly and counts the acknowledged changes. */
class Writers {
  readonly answers: Answer[] = [];
  acknowledged = 0;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly stage: Stage) {}

  async start(count: number): Promise<void> {
    const ids = await Promise.all(Array.from({ length: count }, (_, index) => this.createUser(index)));
    this.running = Promise.all(ids.map((subject) => this.write(subject)));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async createUser(index: number): Promise<string> {
    const subject = `written-${index}`;
    await this.stage.customer.synchronize({ subject });
    return subject;
  }

  private async write(subject: string): Promise<void> {
    while (!this.stopped) {
      const { customer } = this.stage;
      const answer = await send({
        operation: 'manage',
        baseUrl: this.stage.controlPlane.url,
        path: `/api/v1/management/projects/${customer.projectId}/users`,
        headers: customer.authorization,
        body: { subject, maximumConcurrentStreams: 1 + (this.acknowledged % 5) },
      });
      this.answers.push(answer);
      if (answer.status < 300 && answer.status >= 200) this.acknowledged += 1;
      else await sleep(20);
    }
  }
}

/** Begins and ends a fault of PostgreSQL under writers, which must succeed again within a time after its end. */
async function runUnderWriters(
  stage: Stage,
  fault: { begin(): Promise<unknown>; end(): Promise<unknown>; lasts: number; recoversWithin: number },
): Promise<Outcome> {
  const writers = new Writers(stage);
  await writers.start(8);
  let [began, ended] = [0, 0];
  const outcome = await runOutage(stage, {
    begin: () => {
      began = Date.now();
      return fault.begin();
    },
    end: async () => {
      await fault.end();
      ended = Date.now();
    },
    lasts: fault.lasts,
    fails: [],
  });
  await writers.stop();
  // 429: this many concurrent writers may be asked to wait.
  const refused = writers.answers.filter(({ status }) => status !== 429 && (status === 0 || status >= 300));
  const isOutage = ({ status, code, sentAt, milliseconds }: Answer) =>
    status === 503 &&
    code === 'service_unavailable' &&
    sentAt + milliseconds >= began &&
    sentAt <= ended + fault.recoversWithin;
  const wrong = refused.filter((answer) => !isOutage(answer));
  const successes = writers.answers.filter(({ status, sentAt }) => status > 0 && status < 300 && sentAt >= ended);
  const recovery = Math.min(...successes.map(({ sentAt, milliseconds }) => sentAt + milliseconds)) - ended;
  if (wrong.length > 0) {
    const kinds = new Set(wrong.map(({ status, code }) => `${status} ${code}`));
    outcome.broken.push(
      `${wrong.length} writes got another response than 503 within ${fault.recoversWithin} ms of the fault: ${[...kinds].join(', ')}`,
    );
  }
  if (!(recovery <= fault.recoversWithin)) outcome.broken.push(`writes only succeed after ${recovery} ms`);
  const failed = refused.length;
  return {
    ...outcome,
    requests: outcome.requests + writers.answers.length,
    failed: outcome.failed + failed,
    recoveryMilliseconds: Math.max(0, recovery),
    notes: [...(outcome.notes ?? []), `${writers.acknowledged} writes acknowledged, ${failed} not`],
  };
}

/** Connections that are opened while this is on accept no writes for as long as they exist. */
async function setReadOnly(url: string, value: 'on' | 'off'): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const writable = `${url}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`;
  await runOnDatabase(writable, `ALTER DATABASE "${name}" SET default_transaction_read_only = ${value}`);
}

/** As a failover does. */
const endConnections = (url: string) =>
  runOnDatabase(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );

export const databaseScenarios: Record<string, Scenario> = {
  'postgresql-restarted-under-writers': withOwnPostgres((stage, postgres) =>
    runUnderWriters(stage, {
      begin: () => postgres.restart(),
      end: async () => undefined,
      lasts: 0,
      recoversWithin: 1_000,
    }),
  ),

  'postgresql-read-only-under-writers': withOwnPostgres((stage, postgres) =>
    runUnderWriters(stage, {
      begin: async () => {
        await setReadOnly(postgres.url, 'on');
        await endConnections(postgres.url);
      },
      end: () => setReadOnly(postgres.url, 'off'),
      lasts: 3_000,
      recoversWithin: 2_000,
    }),
  ),

  'control-plane-killed-postgresql-stopped': withOwnPostgres(async (stage, postgres) =>
    runOutage(stage, {
      begin: () => Promise.all([stage.controlPlane.kill(), postgres.stop()]),
      end: () => undefined,
      lasts: 5_000,
      fails: [],
      restarts: [stage.controlPlane],
    }),
  ),
};
