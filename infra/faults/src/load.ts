import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, credentialsOf } from '../../e2e/customer';
import { type Answer, outcomeOf, send } from './calls';
import { type KnownSession, Ledger } from './ledger';

export interface LoadOptions {
  environmentId: string;
  apiClient: ApiClient;
  contentId: string;
  /** Of the content: base64url, as ClearKey asks for it. */
  keyId: string;
  /** Streams that each viewer may have at once. */
  limit: number;
  /** The processes to call, asked anew for each call. */
  baseUrls: () => readonly string[];
  /** Sent on time, whether or not earlier calls are answered. */
  callsPerSecond?: number;
  viewers?: number;
  /** Begins the name of each viewer, so that no other load has the same. */
  prefix?: string;
}

const mostUnderWay = 2_000;

/** A steady load on playback: creates, repeats, renewals, licenses and releases. Every call is accounted for. */
export class Load {
  readonly answers: Answer[] = [];
  readonly ledger: Ledger;
  sent = 0;
  /** Sessions that a caller named and got no answer about, with their subjects: to be asked for again. */
  private readonly unanswered = new Map<string, string>();
  private stopped = false;
  private readonly underWay = new Set<Promise<unknown>>();
  private running: Promise<void> = Promise.resolve();

  readonly prefix: string;

  constructor(private readonly options: LoadOptions) {
    this.prefix = options.prefix ?? 'viewer';
    this.ledger = new Ledger(options.limit);
  }

  start(): void {
    this.running = this.run();
  }

  /** Sends nothing more; resolves when every call is answered or given up. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.underWay);
  }

  /** Milliseconds from a time until the answer of the first successful create that was sent after it. */
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
      if (this.underWay.size < mostUnderWay) this.track(this.one());
    }
  }

  private track(call: Promise<unknown>): void {
    this.underWay.add(call);
    void call.finally(() => this.underWay.delete(call));
  }

  private one(): Promise<unknown> {
    const chance = randomInt(100);
    const live = this.ledger.allCertainlyLive();
    const session = live.length === 0 ? undefined : live[randomInt(live.length)];
    if (session === undefined || chance < 55) {
      const { viewers = 20 } = this.options;
      return this.create(`${this.prefix}-${randomInt(viewers)}`, chance < 15 ? randomUUID() : undefined);
    }
    if (chance < 80) return this.release(session);
    return chance < 90 ? this.renew(session) : this.license(session);
  }

  /** `sessionId`: named by the caller, who then asks twice at once; the repeat takes no second slot. */
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

  /** Asks again for each session that a caller named and got no answer about, as callers do, once the fault is over. */
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
    return session.state !== 'live' || this.ledger.sessions.get(session.sessionId) !== session;
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
    state: 'live',
  };
}
