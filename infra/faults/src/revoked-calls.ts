import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Call, send } from '@multi-drm/test-kit/load/calls';
import { createCall, playerCall } from '@multi-drm/test-kit/load/player-calls';
import type { Customer, Session } from '@multi-drm/test-kit/services/customer';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';

const content = 'archived-lesson';
const viewer = 'blocked-viewer';

/** Calls that succeed until their API client is revoked, their viewer blocked and their content archived, at each playback process. */
export class RevokedCalls {
  readonly answers: (Answer & { name: string })[] = [];
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly stage: Stage<StageRedis>,
    private readonly calls: Record<string, Call>,
    /** Of the blocked viewer. */
    private readonly session: Session,
    private readonly other: Customer,
  ) {}

  static async prepare(stage: Stage<StageRedis>): Promise<RevokedCalls> {
    const { customer } = stage;
    const other = await stage.addCustomer();
    await customer.publish(content);
    for (const url of stage.playbackUrls) await customer.followed(content, url);
    const session = await customer.play('lesson', viewer);
    const create = (by: Customer, contentId: string, subject: string) => createCall(by, '', { contentId, subject });
    const calls = {
      'a revoked client': create(other, 'lesson', 'viewer'),
      'a blocked viewer': create(customer, 'lesson', viewer),
      "a blocked viewer's session": playerCall('renew', '', session),
      'archived content': create(customer, content, 'viewer'),
    };
    return new RevokedCalls(stage, calls, session, other);
  }

  /** Revokes, blocks and archives. Resolves when all calls are refused. */
  async revoke(): Promise<void> {
    const { stage, other } = this;
    const { items } = await stage.customer.manage<{ items: { contentAssetId: string }[] }>(
      'GET',
      `/environments/${stage.customer.siteId}/content?search=${content}`,
    );
    await other.revokeApiClient();
    await stage.customer.synchronize({ subject: viewer, status: 'blocked' });
    await stage.customer.manage('DELETE', `/content/${items[0]?.contentAssetId}`);
    for (const url of stage.playbackUrls) {
      for (const call of Object.values(this.calls)) {
        while ((await send({ ...call, baseUrl: url })).status < 400) await sleep(20);
      }
    }
  }

  /** Releases the blocked viewer's session as its player. */
  release(): Promise<Answer> {
    return send(playerCall('release', this.stage.playbackUrls[0] ?? '', this.session));
  }

  /** Makes all calls at each process, again and again. */
  start(): void {
    const loops = this.stage.playbackUrls.flatMap((url) =>
      Object.entries(this.calls).map(([name, call]) => this.repeat(name, url, call)),
    );
    this.running = Promise.all(loops);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Milliseconds from this time until the last call that succeeded was answered, and which it was. */
  lastServed(since: number): { milliseconds: number; name: string } {
    const served = this.answers.filter(({ status, sentAt }) => status === 200 && sentAt >= since);
    const ends = served.map(({ name, sentAt, milliseconds }) => ({
      name,
      milliseconds: sentAt + milliseconds - since,
    }));
    return ends.reduce((last, end) => (end.milliseconds > last.milliseconds ? end : last), {
      name: '',
      milliseconds: 0,
    });
  }

  private async repeat(name: string, baseUrl: string, { body, ...called }: Call): Promise<void> {
    while (!this.stopped) {
      // A repeat of the create of an existing session reads less.
      const withId = body === undefined ? {} : { body: { ...(body as object), sessionId: randomUUID() } };
      this.answers.push({ ...(await send({ ...called, ...withId, baseUrl })), name });
      await sleep(10);
    }
  }
}
