import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, ShiftedClock } from '@multi-drm/test-kit';
import { type Answer, send } from '@multi-drm/test-kit/load/calls';
import { createCall, playerCall } from '@multi-drm/test-kit/load/player-calls';
import type { Session } from '@multi-drm/test-kit/services/customer';
import { Stage, streamLimit } from '@multi-drm/test-kit/stage/stage';
import { LinkedRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { underLoad } from '../machine-delay';
import { auditOf, warmUp } from '../outage';
import type { Outcome } from '../outcome';
import { onStarted, type Scenario } from '../scenario';

/** Seconds that a session of the stage lasts: 2.5 heartbeats. */
const heartbeatSeconds = 20;
const lifetimeSeconds = 50;

/** The clock of Redis is set back and ahead while sessions are active. */
export const clockSteps: Scenario = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clock-steps-'));
  const clock = await ShiftedClock.prepare(folder);
  const metricsPort = await findFreePort();
  const start = async () =>
    Stage.startOn(await LinkedRedis.start(true, clock.environment), {
      settings: { heartbeatSeconds },
      playback: () => ({ environment: { METRICS_PORT: String(metricsPort) } }),
    });
  const run = onStarted(start, (stage) => new ClockSteps(stage, clock, metricsPort).run());
  return run().finally(() => rmSync(folder, { recursive: true }));
};

class ClockSteps {
  private readonly broken: string[] = [];
  private readonly answers: Answer[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly clock: ShiftedClock,
    private readonly metricsPort: number,
  ) {}

  async run(): Promise<Outcome> {
    await warmUp(this.stage);
    const loadOutcome = await this.backUnderLoad();
    await this.farBack();
    await this.aheadAndBack();
    const { broken, answers } = this;
    const steps = await this.countedSteps();
    if (steps !== 7) broken.push(`7 steps were counted as ${steps}`);
    return {
      ...loadOutcome,
      requests: loadOutcome.requests + answers.length,
      broken: [...loadOutcome.broken, ...broken],
      notes: [`steps counted by the process: ${steps}`],
    };
  }

  /** Back by 90 seconds and again ahead: no call fails. */
  private async backUnderLoad(): Promise<Outcome> {
    const { stage } = this;
    const load = stage.load({ prefix: randomUUID() });
    const { broken } = await underLoad(stage.playbackUrls, load, async () => {
      await sleep(2_000);
      const session = await this.create('back');
      this.clock.shiftTo(-90);
      const renewed = await this.expect(200, 'a renewal after a step of 90 s back', this.player(session, 'renew'));
      const { expiresAt, serverTime } = renewed.body;
      const left = (Date.parse(String(expiresAt)) - Date.parse(String(serverTime))) / 1_000;
      if (!(left <= lifetimeSeconds)) this.broken.push(`the session lasts for ${left} s after its renewal`);
      await sleep(3_000);
      // Not all the way, which would end sessions that have started since the step.
      this.clock.shiftTo(-60);
      await sleep(2_000);
    });
    return auditOf(stage, load, broken);
  }

  /** Further than the leeway of tokens: 503 until the clock has caught up, and a release succeeds. */
  private async farBack(): Promise<void> {
    const session = await this.create('far-back');
    this.clock.shiftTo(-660);
    // The process learns the time from the first reply.
    await this.create('since');
    const { code } = await this.expect(
      503,
      'a renewal after a step of ten minutes back',
      this.player(session, 'renew'),
    );
    if (code !== 'service_unavailable') this.broken.push(`a token from ahead got ${code}`);
    await this.expect(204, 'a release after the step', this.player(session, 'release'));
    this.clock.shiftTo(0);
    await this.create('caught-up');
  }

  /** An hour ahead and back: sessions whose players are gone hold their slots for a lifetime at most, and not less. */
  private async aheadAndBack(): Promise<void> {
    this.clock.shiftTo(3_600);
    for (let session = 0; session < streamLimit; session += 1) await this.create('ahead');
    this.clock.shiftTo(0);
    // A refusal does not tell the time.
    await this.create('back-again');
    await this.expect(429, 'a create beyond the limit after a step back', this.tryToCreate('ahead'));
    this.clock.shiftTo(lifetimeSeconds + 5);
    await this.expect(200, 'a create a lifetime later', this.tryToCreate('ahead'));
  }

  private async create(subject: string): Promise<Session> {
    const { body } = await this.expect(200, `a create of ${subject}`, this.tryToCreate(subject));
    return body as unknown as Session;
  }

  private tryToCreate(subject: string): Promise<Answer> {
    const { customer, playbackUrls } = this.stage;
    return send(createCall(customer, playbackUrls[0] ?? '', { subject }));
  }

  private player(session: Session, operation: 'renew' | 'release'): Promise<Answer> {
    return send(playerCall(operation, this.stage.playbackUrls[0] ?? '', session));
  }

  private async expect(status: number, what: string, sent: Promise<Answer>): Promise<Answer> {
    const answer = await sent;
    this.answers.push(answer);
    if (answer.status !== status) this.broken.push(`${what} got ${answer.status} ${answer.code}, not ${status}`);
    return answer;
  }

  private async countedSteps(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();
    return Number(/^multi_drm_redis_clock_steps_total (\d+)$/m.exec(text)?.[1]);
  }
}
