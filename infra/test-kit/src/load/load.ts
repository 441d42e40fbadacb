import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, credentialsOf } from '../services/customer';
import { type Answer, outcomeOf, send } from './calls';
import { type KnownSession, Ledger } from './ledger';

export interface LoadOptions {
  environmentId: string;
  apiClient: ApiClient;
  contentId: string;
  /** The content's key id in base64url, the form of ClearKey requests. */
  keyId: string;
  /** The stream limit of each viewer. */
  limit: number;
  /** Returns the processes to call; evaluated for each call. */
  baseUrls: () => readonly string[];
  /** The rate at which calls are sent, regardless of pending responses. */
  callsPerSecond?: number;
  viewers?: number;
  /** The prefix of each viewer's name, to distinguish loads. */
  prefix?: string;
}

const maximumPending = 2_000;

/** A constant load on playback: creates, repeats, renewals, licenses and releases. Every call is recorded. */
export class Load {
  readonly answers: Answer[] = [];
  readonly ledger: Ledger;
  sent = 0;
  /** Sessions with a caller's id whose create got no response, with their subjects; their creates are repeated later. */
  private readonly unanswered = new Map<string, string>();
  private stopped = false;
  private readonly pending = new Set<Promise<unknown>>();
  private running: Promise<void> = Promise.resolve();

  readonly prefix: string;

  constructor(private readonly options: LoadOptions) {
    this.prefix = options.prefix ?? 'viewer';
    this.ledger = new Ledger(options.limit);
  }

  start(): void {
    this.running = this.run();
  }

  /** Sends no more calls; resolves when every call has a response or was given up. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.pending);
  }

  /** Milliseconds from a time until the response to the first successful create that was sent after it. */
  recoveredAfter(time: number): number | undefined {
    const ends = this.answers
      .filter(({ operation, status, sentAt }) => operation === 'create' && status === 200 && sentAt >= time)
      .map(({ sentAt, milliseconds }) => sentAt + milliseconds - time);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  private async run(): Promise<void> {
    const { callsPerSecond = 25 } = this.options;
    const begin = performance.now();
    for (let due = 0; !this.stopped; due += 1) {
      const wait = begin + (due * 1_000) / callsPerSecond - performance.now();
      if (wait > 0) await sleep(wait);
      if (this.pending.size < maximumPending) this.track(this.one());
    }
  }

  private track(call: Promise<unknown>): void {
    this.pending.add(call);
    void call.finally(() => this.pending.delete(call));
  }

  private one(): Promise<unknown> {
    const chance = randomInt(100);
    const active = this.ledger.allCertainlyActive();
    const session = active.length === 0 ? undefined : active[randomInt(active.length)];
    if (session === undefined || chance < 55) {
      const { viewers = 20 } = this.options;
      return this.create(`${this.prefix}-${randomInt(viewers)}`, chance < 15 ? randomUUID() : undefined);
    }
    if (chance < 80) return this.release(session);
    return chance < 90 ? this.renew(session) : this.license(session);
  }

  /** With a `sessionId`, the create is sent twice at the same time; the repeat takes no second slot. */
  async create(subject: string, sessionId?: string): Promise<Answer[]> {
    const { contentId, environmentId, apiClient } = this.options;
    const path = `/api/v1/playback/environments/${environmentId}/sessions`;
    const id = sessionId === undefined ? {} : { sessionId };
    const what = { contentId, contentType: 'vod', drmSystem: 'widevine', useEnvironmentDefaults: true };
    const calls = Array.from({ length: sessionId === undefined ? 1 : 2 }, () =>
      this.send('create', path, credentialsOf(apiClient), { ...what, subject, ...id }),
    );
    const answers = await Promise.all(calls);
    const success = answers.find(({ status }) => status === 200);
    if (success !== undefined) this.ledger.started(sessionOf(subject, success.body));
    else if (sessionId !== undefined && answers.some((answer) => outcomeOf(answer) === 'failed')) {
      this.unanswered.set(sessionId, subject);
    }
    return answers;
  }

  /** After the fault, repeats the create of each session with a caller's id that got no response, as callers do. */
  async askAgain(): Promise<void> {
    for (const [sessionId, subject] of this.unanswered) {
      this.unanswered.delete(sessionId);
      await this.create(subject, sessionId);
    }
  }

  async release(session: KnownSession): Promise<Answer> {
    this.ledger.releasing(session);
    const answer = await this.send('release', session.releasePath, asPlayer(session));
    if (answer.status === 204) this.ledger.released(session);
    answer.ending = this.ledger.sessions.get(session.sessionId) !== session;
    return answer;
  }

  private async renew(session: KnownSession): Promise<void> {
    const path = session.releasePath.replace(/release$/, 'renew');
    const answer = await this.send('renew', path, asPlayer(session));
    const { status, body } = answer;
    answer.ending = this.isEnding(session);
    if (status !== 200) return;
    const { expiresAt, drm } = body as { expiresAt: string; drm: { drmLicenseToken: string } };
    session.token = drm.drmLicenseToken;
    session.expiresAt = Date.parse(expiresAt);
  }

  async license(session: KnownSession): Promise<void> {
    const challenge = { kids: [this.options.keyId], type: 'temporary' };
    const answer = await this.send('license', session.licensePath, asPlayer(session), challenge);
    answer.ending = this.isEnding(session);
  }

  private isEnding(session: KnownSession): boolean {
    return session.state !== 'active' || this.ledger.sessions.get(session.sessionId) !== session;
  }

  private async send(
    operation: Answer['operation'],
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> {
    const urls = this.options.baseUrls();
    const baseUrl = urls[urls.length < 2 ? 0 : randomInt(urls.length)] ?? 'http://127.0.0.1:1';
    this.sent += 1;
    const answer = await send({ operation, baseUrl, path, headers, ...(body === undefined ? {} : { body }) });
    this.answers.push(answer);
    return answer;
  }
}

const asPlayer = ({ token }: KnownSession) => ({ Authorization: `Bearer ${token}` });

function sessionOf(subject: string, body: Record<string, unknown>): KnownSession {
  const { sessionId, expiresAt, release, drm } = body as {
    sessionId: string;
    expiresAt: string;
    release: { url: string };
    drm: { drmLicenseToken: string; licenseServerUrl: string };
  };
  return {
    sessionId,
    subject,
    token: drm.drmLicenseToken,
    releasePath: new URL(release.url).pathname,
    licensePath: new URL(drm.licenseServerUrl).pathname,
    expiresAt: Date.parse(expiresAt),
    startedAt: Date.now(),
    state: 'active',
  };
}
