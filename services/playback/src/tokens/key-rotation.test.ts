import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import supertest, { type Test } from 'supertest';
import { type Playback, publicUrl, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant } from '../testing/published-tenant';
import { parseSigningKeys } from './signing-keys';

// The procedure for operators, with two instances that are restarted one after the other under load.

interface Key {
  jsonWebKey: object;
  keyId: string;
}

interface Stage {
  keys: Key[];
  signing: Key;
}

const operatorPage = readFileSync(join(__dirname, '../../../../docs/operator.md'), 'utf8');
const callers = 4;
const renewals = 3;
/** The number of complete sessions to wait for before and after each restart. */
const sessionsBetweenRestarts = 4;

/** Generates a key with the command of docs/operator.md. */
function makeKey(): Key {
  const section = operatorPage.split(/^#+ /m).find((text) => text.startsWith('Keys of license tokens\n')) ?? '';
  const command = /^```sh\n(.*?)^```$/ms.exec(section)?.[1] ?? '';
  const [jsonWebKey = '', keyId = ''] = execFileSync('bash', ['-c', command], { encoding: 'utf8' }).trim().split('\n');
  return { jsonWebKey: JSON.parse(jsonWebKey), keyId };
}

const keyIdOf = ({ drm }: Session): string => decodeProtectedHeader(drm.drmLicenseToken).kid ?? '';
const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

/** Two instances and callers that play complete sessions, each call on either instance, until they are stopped. */
class Fleet {
  /** Unexpected responses. */
  readonly refusals: string[] = [];
  readonly issued = new Set<string>();
  finished = 0;
  private readonly tenant = makeTenant({ maximumConcurrentStreams: null });
  private readonly inUse = new Map<string, number>();
  private stopped = false;
  private calling: Promise<unknown> = Promise.resolve();

  private constructor(private readonly instances: [Playback, Playback]) {}

  static async start(stage: Stage): Promise<Fleet> {
    const fleet = new Fleet([await startInstance(stage), await startInstance(stage)]);
    await fleet.instances[0].publish(fleet.tenant);
    fleet.calling = Promise.all(Array.from({ length: callers }, () => fleet.call()));
    return fleet;
  }

  /** Restarts one instance: new calls go to the new process, and calls in progress finish on the old one. */
  async restart(index: 0 | 1, stage: Stage): Promise<void> {
    this.instances[index] = await startInstance(stage);
    await this.sessions(sessionsBetweenRestarts);
  }

  /** Resolves when this many more sessions have been played completely, or a call was refused. */
  async sessions(count: number): Promise<void> {
    const enough = this.finished + count;
    while (this.finished < enough && this.refusals.length === 0) await new Promise(setImmediate);
  }

  /** Resolves when no player holds a token signed by the key, because the longest session has ended. */
  async withoutTokensOf({ keyId }: Key): Promise<void> {
    while ((this.inUse.get(keyId) ?? 0) > 0) await new Promise(setImmediate);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.calling;
  }

  private async call(): Promise<void> {
    while (!this.stopped && this.refusals.length === 0) await this.playOne();
  }

  /** Plays a session, each call on either instance, and verifies its newest token on all of them. */
  private async playOne(): Promise<void> {
    const held: string[] = [];
    const take = async (answer: Test): Promise<Session | null> => {
      const { status, body } = await answer;
      if (status !== 200) {
        this.refusals.push(`${status} ${body.code}`);
        return null;
      }
      const keyId = keyIdOf(body);
      held.push(keyId);
      this.inUse.set(keyId, (this.inUse.get(keyId) ?? 0) + 1);
      this.issued.add(keyId);
      await this.verifyEverywhere(body);
      return body;
    };

    let session = await take(pick(this.instances).create(this.tenant, sessionRequest()));
    const first = session;
    for (let renewal = 0; renewal < renewals && session !== null; renewal += 1) {
      session = await take(pick(this.instances).asPlayer(session, 'renew'));
    }
    // A player may keep its first token, so a release with it must work too.
    const last = pick([first, session]);
    if (last !== null) {
      const { status, body } = await pick(this.instances).asPlayer(last, 'release');
      if (status !== 204) this.refusals.push(`${status} ${body.code}`);
    }
    for (const keyId of held) this.inUse.set(keyId, (this.inUse.get(keyId) ?? 0) - 1);
    this.finished += 1;
  }

  /** Verifies the token as in docs/backend.md, with the keys that each instance publishes. */
  private async verifyEverywhere({ drm }: Session): Promise<void> {
    for (const { app } of this.instances) {
      const { body } = await supertest(app).get('/.well-known/jwks.json').expect(200);
      await jwtVerify(drm.drmLicenseToken, createLocalJWKSet(body as JSONWebKeySet), {
        algorithms: ['ES256'],
        typ: 'drm-license+jwt',
        issuer: publicUrl,
        audience: `${publicUrl}/api/v1/playback`,
      }).catch((error: Error) => this.refusals.push(`not published: ${error.message}`));
    }
  }
}

async function startInstance({ keys, signing }: Stage): Promise<Playback> {
  const jsonWebKeySet = { keys: keys.map(({ jsonWebKey }) => jsonWebKey) };
  return startPlayback({ tokens: { keys: parseSigningKeys(JSON.stringify(jsonWebKeySet), signing.keyId) } });
}

const [old, next] = [makeKey(), makeKey()];
const before: Stage = { keys: [old], signing: old };
const publish: Stage = { keys: [old, next], signing: old };
const change: Stage = { keys: [old, next], signing: next };
const retire: Stage = { keys: [next], signing: next };

/** The keys that sign new tokens after the current sessions have ended. */
async function signing(fleet: Fleet): Promise<Set<string>> {
  await fleet.sessions(callers);
  fleet.issued.clear();
  await fleet.sessions(sessionsBetweenRestarts);
  return new Set(fleet.issued);
}

test('during a key rotation under load, no token is refused and none is signed by a retired key', async () => {
  const fleet = await Fleet.start(before);
  expect(await signing(fleet)).toEqual(new Set([old.keyId]));

  for (const index of [0, 1] as const) await fleet.restart(index, publish);
  expect(await signing(fleet)).toEqual(new Set([old.keyId]));

  await fleet.restart(0, change);
  await fleet.sessions(sessionsBetweenRestarts);
  expect(fleet.issued).toEqual(new Set([old.keyId, next.keyId])); // tokens of both keys were used across instances
  await fleet.restart(1, change);
  expect(await signing(fleet)).toEqual(new Set([next.keyId]));

  await fleet.withoutTokensOf(old);
  for (const index of [0, 1] as const) await fleet.restart(index, retire);
  expect(await signing(fleet)).toEqual(new Set([next.keyId]));

  await fleet.stop();
  expect(fleet.refusals).toEqual([]);
});

test('without publishing the key first, tokens of the restarted instance are refused by the other one', async () => {
  const fleet = await Fleet.start(before);
  await fleet.restart(0, change);
  while (fleet.refusals.length === 0) await fleet.sessions(1);
  await fleet.stop();
  expect(fleet.refusals.some((refusal) => /token_invalid|not published/.test(refusal))).toBe(true);
});
