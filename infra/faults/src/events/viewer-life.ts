import { randomInt, randomUUID } from 'node:crypto';
import { type Answer, type Call, send } from '@multi-drm/test-kit/load/calls';
import { createCall } from '@multi-drm/test-kit/load/player-calls';
import { type ApiClient, type Customer, credentialsOf, type Session } from '@multi-drm/test-kit/services/customer';
import type { ExpectedSession, Interval } from './expected-sessions';

/** What the viewers of a scenario share. */
export interface Lives {
  customer: Customer;
  /** A client that may release sessions. */
  backend: ApiClient;
  /** The content's key id in base64url, the form of ClearKey requests. */
  keyId: string;
  urls: readonly string[];
  /** By name. */
  expected: Map<string, ExpectedSession>;
  /** Answers that say that a call failed. */
  failures: Answer[];
  calls: number;
}

interface PlayedSession {
  session: Session;
  expected: ExpectedSession;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** At most so many streams has a viewer; with one more, the oldest ends. */
const limit = 2;

const evicting = {
  licensePolicy: {
    maximumHeight: 1080,
    atStreamLimit: 'evict-oldest',
    maximumConcurrentStreams: limit,
    tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
  },
};

/** Whether a subject is one of these viewers. */
export const isViewer = (subject: string): boolean => /^(viewer|gone)-/.test(subject);

/** Milliseconds before the end of a session in which no call is made, because it might come too late. */
const marginMilliseconds = 5_000;

/** Milliseconds after its failure or a hang-up within which a call may still take effect or be taken back. */
const lateMilliseconds = 15_000;

/**
 * The calls of one viewer, one after the other, so that each answer says what has happened. Once a call has no answer, the viewer makes
 * no more, and what it may have done is expected, too.
 */
export class ViewerLife {
  private readonly subject = `viewer-${randomUUID()}`;
  /** Those that are active, in the order of their starts. */
  private played: PlayedSession[] = [];
  private isOver = false;

  constructor(private readonly lives: Lives) {}

  async run(): Promise<void> {
    for (let steps = 3 + randomInt(8); steps > 0 && this.mayGoOn(); steps -= 1) await this.step();
    if (randomInt(12) === 0) await this.hangUp();
    // The sessions of some viewers expire.
    while (this.played.length > 0 && this.mayGoOn() && randomInt(10) > 0) await this.end();
    for (const each of this.played) expectExpiry(each);
  }

  private mayGoOn(): boolean {
    const soon = Date.now() + marginMilliseconds;
    return !this.isOver && this.played.every(({ expiresAt }) => expiresAt > soon);
  }

  private step(): Promise<void> {
    const chance = randomInt(100);
    if (this.played.length === 0 || chance < 45) return this.create();
    if (chance < 60) return this.renew();
    return chance < 75 ? this.license() : this.end();
  }

  private async create(): Promise<void> {
    const sessionId = randomUUID();
    const replaced = randomInt(3) === 0 ? this.any() : undefined;
    const replacesSessionId = replaced?.session.sessionId;
    const call = createCall(this.lives.customer, this.url(), {
      ...evicting,
      subject: this.subject,
      sessionId,
      ...(replacesSessionId === undefined ? {} : { replacesSessionId }),
    });
    const repeats = randomInt(6) === 0 ? [call] : [];
    const { answers, during } = await this.send(call, ...repeats);
    const [answer] = answers.filter(({ status }) => status === 200);
    const ends = replaced ?? (this.played.length < limit ? undefined : this.played[0]);
    const expected: ExpectedSession = {
      name: sessionId,
      start: during,
      isStarted: answer !== undefined,
      ends: [],
      licenseRequests: 0,
    };
    this.lives.expected.set(sessionId, expected);
    if (ends !== undefined) {
      ends.expected.ends.push({ reason: ends === replaced ? 'replaced' : 'evicted', ...during });
      if (answer !== undefined) this.played = this.played.filter((each) => each !== ends);
    }
    if (answer === undefined) {
      expected.ends.push({ reason: 'undone', ...during });
      expected.ends.push({ reason: 'expired', ...later(during) });
      return;
    }
    const session = answer.body as unknown as Session;
    this.played.push({ session, expected, expiresAt: Date.parse(session.expiresAt) });
  }

  /** Hangs up on a create without an id, which is taken back, unless its answer was on its way. */
  private async hangUp(): Promise<void> {
    const subject = `gone-${randomUUID()}`;
    const { url, body, headers } = requestOf(createCall(this.lives.customer, this.url(), { subject }));
    const from = Date.now();
    const answered = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(1 + randomInt(12)) })
      .then((response) => response.text())
      .then(
        () => true,
        () => false, // hung up
      );
    const during = { from, to: Date.now() + lateMilliseconds };
    this.lives.calls += 1;
    this.lives.expected.set(subject, {
      name: subject,
      start: during,
      isStarted: false,
      ends: [{ reason: 'expired', ...later(during) }, ...(answered ? [] : [{ reason: 'undone', ...during }])],
      licenseRequests: undefined,
    });
  }

  private async renew(): Promise<void> {
    const each = this.any();
    if (each === undefined) return;
    const { answers, during } = await this.send({ ...this.onSession(each, 'renew'), ...byPlayer(each) });
    const [answer] = answers;
    if (answer?.status === 200) {
      each.session = { ...each.session, ...answer.body };
      each.expiresAt = Date.parse(String(answer.body.expiresAt));
    } else each.expected.ends.push({ reason: 'expired', ...later(during) });
  }

  private async license(): Promise<void> {
    const each = this.any();
    if (each === undefined) return;
    const path = new URL(each.session.drm.licenseServerUrl).pathname;
    const body = { kids: [this.lives.keyId], type: 'temporary' };
    const call = { operation: 'license' as const, baseUrl: this.url(), path, body, ...byPlayer(each) };
    const { answers } = await this.send(call);
    const { expected } = each;
    const isAnswered = answers[0]?.status === 200 && expected.licenseRequests !== undefined;
    expected.licenseRequests = isAnswered ? (expected.licenseRequests ?? 0) + 1 : undefined;
  }

  /** Ends a session as its player or as the customer's backend. */
  private async end(): Promise<void> {
    const each = this.any();
    if (each === undefined) return;
    const how = randomInt(4);
    const body = { subject: this.subject, ...(how === 0 ? { reason: 'terminated' } : {}) };
    const caller = how < 2 ? { headers: credentialsOf(this.lives.backend), body } : byPlayer(each);
    const { answers, during } = await this.send({ ...this.onSession(each, 'release'), ...caller });
    each.expected.ends.push({ reason: how === 0 ? 'terminated' : 'released', ...during });
    if (answers[0]?.status === 204) this.played = this.played.filter((other) => other !== each);
  }

  /** Sends calls at the same time. If one of them fails, the viewer's life is over. */
  private async send(...calls: Call[]): Promise<{ answers: Answer[]; during: Interval }> {
    const from = Date.now();
    const answers = await Promise.all(calls.map(send));
    this.lives.calls += calls.length;
    const failed = answers.filter(({ status }) => status !== 200 && status !== 204);
    this.lives.failures.push(...failed);
    if (failed.length > 0) this.isOver = true;
    return { answers, during: { from, to: Date.now() + (failed.length > 0 ? lateMilliseconds : 0) } };
  }

  private any(): PlayedSession | undefined {
    return this.played.length === 0 ? undefined : this.played[randomInt(this.played.length)];
  }

  private url(): string {
    const { urls } = this.lives;
    return urls[randomInt(urls.length)] ?? '';
  }

  private onSession({ session }: PlayedSession, operation: 'renew' | 'release') {
    const path = new URL(session.release.url).pathname.replace(/release$/, operation);
    return { operation, baseUrl: this.url(), path };
  }
}

const byPlayer = ({ session }: PlayedSession) => ({
  headers: { Authorization: `Bearer ${session.drm.drmLicenseToken}` },
});

/** A session that nobody ends has ended at the time that the last answer named. */
function expectExpiry({ expected, expiresAt }: PlayedSession): void {
  expected.ends.push({ reason: 'expired', from: expiresAt, to: expiresAt });
}

/** The seconds for which a session is active after its start or its renewal. */
export const lifetimeSeconds = 60;

/** When a session may expire whose start or renewal was not answered. */
const later = ({ from, to }: Interval): Interval => ({
  from: from + lifetimeSeconds * 1_000,
  to: to + lifetimeSeconds * 1_000,
});

const requestOf = ({ baseUrl, path, headers, body }: Call) => ({
  url: `${baseUrl}${path}`,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
