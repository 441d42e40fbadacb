import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@multi-drm/testing';
import { type Answer, send } from '../calls';
import { migrateDatabase } from '../migrate-database';
import { runOutage } from '../outage';
import type { Outcome } from '../outcome';
import type { Scenario } from '../scenario';
import { Stage } from '../stage';

const withOwnPostgres =
  (run: (stage: Stage, postgres: Awaited<ReturnType<typeof startPostgres>>) => Promise<Outcome>): Scenario =>
  async () => {
    const postgres = await startPostgres();
    await migrateDatabase(postgres.url);
    const stage = await Stage.start({ playbacks: 2, databaseUrl: postgres.url });
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

export const databaseScenarios: Record<string, Scenario> = {
  'postgresql-restarted-under-writers': withOwnPostgres(async (stage, postgres) => {
    const writers = new Writers(stage);
    await writers.start(8);
    let [began, ended] = [0, 0];
    const outcome = await runOutage(stage, {
      begin: async () => {
        began = Date.now();
        await postgres.restart();
        ended = Date.now();
      },
      end: () => undefined,
      lasts: 0,
      fails: [],
    });
    await writers.stop();
    // 429: this many concurrent writers may be asked to wait.
    const refused = writers.answers.filter(({ status }) => status !== 429 && (status === 0 || status >= 300));
    const isOutage = ({ status, code, sentAt, milliseconds }: Answer) =>
      status === 503 && code === 'service_unavailable' && sentAt + milliseconds >= began && sentAt <= ended + 1_000;
    const wrong = refused.filter((answer) => !isOutage(answer));
    const successes = writers.answers.filter(({ status, sentAt }) => status > 0 && status < 300 && sentAt >= ended);
    const recovery = Math.min(...successes.map(({ sentAt, milliseconds }) => sentAt + milliseconds)) - ended;
    if (wrong.length > 0) {
      const kinds = new Set(wrong.map(({ status, code }) => `${status} ${code}`));
      outcome.broken.push(
        `${wrong.length} writes got another response than 503 within a second of the restart: ${[...kinds].join(', ')}`,
      );
    }
    if (!(recovery <= 1_000)) outcome.broken.push(`writes only succeed after ${recovery} ms`);
    const failed = refused.length;
    return {
      ...outcome,
      requests: outcome.requests + writers.answers.length,
      failed: outcome.failed + failed,
      recoveryMilliseconds: Math.max(0, recovery),
      notes: [...(outcome.notes ?? []), `${writers.acknowledged} writes acknowledged, ${failed} not`],
    };
  }),

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
