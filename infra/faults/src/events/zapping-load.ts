import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from '@multi-drm/test-kit/load/calls';
import { createCall } from '@multi-drm/test-kit/load/player-calls';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import type { ExpectedSession } from './expected-sessions';

/** How many viewers switch from content to content. */
const viewers = 1_000;

/** A machine that is too slow for the rate gets as many calls as it answers. */
const maximumPending = 64;

/** What a playback process needs for so many calls of one organization. */
export const manyCalls = { ORGANIZATION_REQUESTS_AT_ONCE: '64' };

const oneStream = {
  licensePolicy: {
    maximumHeight: 1080,
    atStreamLimit: 'evict-oldest',
    maximumConcurrentStreams: 1,
    tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
  },
};

/**
 * Viewers with one stream each who switch from content to content: each create evicts the session of the one before, and so reports two
 * events of slots.
 */
export class ZappingLoad {
  readonly expected = new Map<string, ExpectedSession>();
  readonly failures: Answer[] = [];
  sent = 0;
  private readonly prefix = randomUUID();
  private isStopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly stage: Stage<StageRedis>) {}

  isViewer(subject: string): boolean {
    return subject.startsWith(this.prefix);
  }

  /** Starts the first session of each viewer. */
  async begin(): Promise<void> {
    for (let viewer = 0; viewer < viewers; viewer += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => this.create(viewer + index)));
    }
  }

  /** Sends creates at a constant rate until `stop`. */
  start(perSecond: number): void {
    this.isStopped = false;
    this.running = this.run(perSecond);
  }

  /** Resolves when all are answered. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async run(perSecond: number): Promise<void> {
    const pending = new Set<Promise<void>>();
    const began = performance.now();
    for (let due = 0; !this.isStopped; due += 1) {
      const wait = began + (due * 1_000) / perSecond - performance.now();
      if (wait > 0) await sleep(wait);
      if (pending.size >= maximumPending) await Promise.race(pending);
      const call = this.create(randomInt(viewers));
      pending.add(call);
      void call.finally(() => pending.delete(call));
    }
    await Promise.all(pending);
  }

  private async create(viewer: number): Promise<void> {
    const urls = this.stage.playbackUrls;
    const url = urls[randomInt(urls.length)] ?? '';
    const subject = `${this.prefix}-${viewer % viewers}`;
    const sessionId = randomUUID();
    this.sent += 1;
    const answer = await send(createCall(this.stage.customer, url, { ...oneStream, subject, sessionId }));
    const { sentAt, milliseconds, status, body } = answer;
    const isStarted = status === 200;
    if (!isStarted) this.failures.push(answer);
    const expiry = isStarted ? Date.parse(String(body.expiresAt)) : Number.POSITIVE_INFINITY;
    this.expected.set(sessionId, {
      name: sessionId,
      start: { from: sentAt, to: sentAt + milliseconds },
      isStarted,
      ends: [
        { reason: 'evicted', from: sentAt, to: expiry },
        { reason: 'expired', from: isStarted ? expiry : sentAt, to: expiry },
        ...(isStarted ? [] : [{ reason: 'undone', from: sentAt, to: expiry }]),
      ],
      licenseRequests: 0,
    });
  }
}
