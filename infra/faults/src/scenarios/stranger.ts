import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Call } from '@multi-drm/test-kit/load/calls';
import type { Stage, StageOptions } from '@multi-drm/test-kit/stage/stage';
import { measureBeside } from '../beside-hostile-calls';
import type { HostileCalls } from '../hostile-process';
import { warmUp } from '../outage';
import { type Outcome, totalOf } from '../outcome';
import { onStarted } from '../scenario';
import { fromItsAddress, ordinaryCalls, startTwo } from './hostile-tenants';

/** What a stranger sends again and again; created for each stage. */
type Kind = (stage: Stage) => Call[] | Promise<Call[]>;

const json = { 'Content-Type': 'application/json', ...fromItsAddress };
const randomly = (make: () => Call): Call[] => Array.from({ length: 500 }, make);

/** As many members that no schema knows as fit. */
function unknownNames(bytes: number): string {
  const members: string[] = [];
  for (let length = 2; ; ) {
    const member = `"unknown-name-${members.length}":1`;
    length += member.length + 1;
    if (length > bytes) return `{${members.join(',')}}`;
    members.push(member);
  }
}

const filled = (part: string, bytes: number) =>
  `[${Array(Math.floor(bytes / (part.length + 1)))
    .fill(part)
    .join(',')}]`;

/** 20 MB of blanks in some 20 KiB. */
const bomb = gzipSync(Buffer.alloc(20_000_000, ' ')).toString('base64');
const compressed = { headers: { ...json, 'Content-Encoding': 'gzip' }, body: bomb, encoding: 'base64' } as const;

const manage = (stage: Stage, path: string, call: Partial<Call> = {}): Call => ({
  operation: 'manage',
  baseUrl: stage.controlPlane.url,
  path,
  headers: json,
  ...call,
});
const registrations = '/api/v1/organizations/registrations';
const projectsOf = ({ customer }: Stage) => `/api/v1/management/organizations/${customer.organizationId}/projects`;
const probe = { method: 'GET', headers: fromItsAddress } as const;

const play = (stage: Stage, path: string, call: Partial<Call> = {}): Call => ({
  operation: 'create',
  baseUrl: stage.playbackUrls[0] ?? '',
  path: `/api/v1/playback/environments/${stage.customer.siteId}${path}`,
  headers: json,
  ...call,
});

/** A JSON Web Token of another issuer. */
function foreignToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://login.example.com', sub: randomUUID(), exp: 4_000_000_000 };
  return `${part({ alg: 'RS256', kid: 'a' })}.${part(claims)}.${randomBytes(256).toString('base64url')}`;
}

const atControlPlane: Record<string, Kind> = {
  'registrations of 49 KiB': (stage) => [manage(stage, registrations, { body: unknownNames(49 * 1024) })],
  'registrations of 8 KiB': (stage) => [manage(stage, registrations, { body: unknownNames(8 * 1024) })],
  'compressed registrations': (stage) => [
    manage(stage, registrations, {
      ...compressed,
      body: gzipSync(unknownNames(60 * 1024), { level: 9 }).toString('base64'),
    }),
  ],
  'compressed bodies': (stage) => [manage(stage, projectsOf(stage), compressed)],
  'forged tokens': (stage) =>
    randomly(() =>
      manage(stage, projectsOf(stage), { headers: { ...json, Authorization: `Bearer ${foreignToken()}` } }),
    ),
  'unknown keys': (stage) =>
    randomly(() => {
      const key = `mk_${randomBytes(32).toString('base64url')}`;
      return manage(stage, projectsOf(stage), { headers: { ...json, Authorization: `Bearer ${key}` } });
    }),
  probes: (stage) => [manage(stage, '/api/v1/health/ready', probe)],
  plans: (stage) => [manage(stage, '/api/v1/plans', probe)],
};

const atPlayback: Record<string, Kind> = {
  'lists of ones': (stage) => [play(stage, '/sessions', { body: filled('1', 4 * 1024) })],
  'numbers of 30 digits': (stage) => [play(stage, '/sessions', { body: filled('1'.repeat(30), 4 * 1024) })],
  'compressed bodies': (stage) => [play(stage, '/sessions', compressed)],
  'invalid clients': (stage) =>
    randomly(() => {
      const headers = { ...json, 'X-SERVICE-Client-Id': randomUUID(), 'X-SERVICE-Client-Secret': randomUUID() };
      return play(stage, '/sessions', { headers, body: unknownNames(60 * 1024) });
    }),
  'forged tokens': async (stage) => {
    const { sessionId, drm } = await stage.customer.play('lesson', randomUUID());
    const signed = drm.drmLicenseToken.replace(/[^.]*$/, '');
    return randomly(() => {
      const Authorization = `Bearer ${signed}${randomBytes(64).toString('base64url')}`;
      return play(stage, `/sessions/${sessionId}/renew`, { headers: { ...fromItsAddress, Authorization } });
    });
  },
  probes: (stage) => [play(stage, '', { ...probe, path: '/api/v1/health/ready' })],
};

/** Also tried with a single connection. */
const alsoAlone = new Set(['registrations of 49 KiB', 'lists of ones']);

const options: StageOptions = {
  playbacks: 1,
  withoutLink: true,
  controlPlane: { environment: { TRUSTED_PROXIES: 'loopback' } },
  playback: () => ({ environment: { TRUSTED_PROXIES: 'loopback' } }),
};

/** Callers without a valid credential: whatever they send, they delay others little more than at another deployment. */
export const stranger = onStarted(
  () => startTwo(options),
  async ({ stage, otherStage }) => {
    const outcomes: Outcome[] = [];
    const attack = async (service: string, name: string, kind: Kind, parallel: number) => {
      const attackOn = async (attacked: Stage): Promise<HostileCalls> => ({ parallel, calls: await kind(attacked) });
      const attacks = { here: await attackOn(stage), elsewhere: await attackOn(otherStage) };
      const title = `${service}, ${name} on ${parallel}`;
      const ownCalls = service === 'playback' ? undefined : ordinaryCalls(stage);
      const found = await measureBeside(stage, attacks, { ownCalls, share: 0.5, prefix: title });
      const titled = (texts: string[]) => texts.map((text) => `${title}: ${text}`);
      outcomes.push({ ...found, broken: titled(found.broken), notes: titled(found.notes ?? []) });
    };
    await warmUp(stage);
    for (const [service, kinds] of Object.entries({ 'control plane': atControlPlane, playback: atPlayback })) {
      for (const [name, kind] of Object.entries(kinds)) {
        if (alsoAlone.has(name)) await attack(service, name, kind, 1);
        await attack(service, name, kind, 4);
      }
    }
    return totalOf(outcomes);
  },
);
