import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { type Answer, type Call, send } from '@multi-drm/test-kit/load/calls';
import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';
import { type Customer, credentialsOf } from '@multi-drm/test-kit/services/customer';
import { Stage, type StageOptions } from '@multi-drm/test-kit/stage/stage';
import { measureBeside } from '../beside-hostile-calls';
import type { HostileCalls } from '../hostile-process';
import { onStarted, type Scenario } from '../scenario';

/** The hostile tenant has its own address, set by the proxy in front of the services. */
export const fromItsAddress = { 'X-Forwarded-For': '203.0.113.7' };

const managementCall = (
  stage: Stage,
  customer: Customer,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Call => ({
  operation: 'manage',
  method,
  baseUrl: stage.controlPlane.url,
  path: `/api/v1/management${path}`,
  headers: customer.authorization,
  ...(body === undefined ? {} : { body }),
});

/** Without a body, it is a GET. */
export const playbackCall = (stage: Stage, customer: Customer, path: string, body?: object): Call => ({
  operation: 'create',
  baseUrl: stage.playbackUrls[0] ?? '',
  path: `/api/v1/playback/environments/${customer.siteId}${path}`,
  headers: { ...credentialsOf(customer.apiClient), ...fromItsAddress },
  ...(body === undefined ? { method: 'GET' } : { body }),
});

const createCall = (stage: Stage, customer: Customer, subject: string, policy: object): Call =>
  playbackCall(stage, customer, '/sessions', {
    contentId: 'lesson',
    contentType: 'vod',
    drmSystem: 'widevine',
    subject,
    ...policy,
  });

const byDefault = { useEnvironmentDefaults: true };

export interface StartedSession {
  sessionId: string;
  release: { url: string };
  drm: { drmLicenseToken: string; licenseServerUrl: string };
}

/** Starts a session with the call. */
export async function started(call: Call): Promise<StartedSession> {
  const { status, body } = await send(call);
  if (status !== 200) throw new Error(`a create got ${status} ${JSON.stringify(body)}`);
  return body as unknown as StartedSession;
}

const many = (make: () => Call): Call[] => Array.from({ length: 10_000 }, make);

/** Calls of another tenant at the control plane at the same time: writes and reads of a list. */
export const ordinaryCalls = (stage: Stage) => () => {
  const { customer } = stage;
  return send(
    randomInt(2) === 0
      ? managementCall(stage, customer, 'POST', `/projects/${customer.projectId}/users`, {
          subject: `user-${randomInt(100)}`,
        })
      : managementCall(stage, customer, 'GET', `/environments/${customer.siteId}/content?limit=20`),
  );
};

export const options: StageOptions = {
  playbacks: 1,
  withoutLink: true,
  playback: () => ({ environment: { TRUSTED_PROXIES: 'loopback' } }),
};

/** Prepares what a hostile tenant of a stage needs; resolves to its calls. */
type Attack = (stage: Stage, hostile: Customer) => Promise<HostileCalls>;

/** What an attack has prepared is not what is measured. */
async function everythingPublished({ databaseUrl }: Stage): Promise<void> {
  while ((await runOnDatabase(databaseUrl, 'SELECT FROM outbox_entry LIMIT 1')).length > 0) await sleep(50);
}

/** Two stages with the same options. */
export async function startTwo(options: StageOptions) {
  const [stage, otherStage] = [await Stage.start(options), await Stage.start(options)];
  const close = async () => {
    await Promise.all([stage.close(), otherStage.close()]);
  };
  return { stage, otherStage, close };
}

/** `ownCalls`: the other tenant's calls, if not the load on playback. `share`: the percentile that is compared. */
const hostileTenant = (attack: Attack, ownCalls?: (stage: Stage) => () => Promise<Answer>, share?: 0.5): Scenario =>
  onStarted(
    () => startTwo(options),
    async ({ stage, otherStage }) => {
      const here = await attack(stage, await stage.addCustomer());
      const elsewhere = await attack(otherStage, await otherStage.addCustomer());
      for (const each of [stage, otherStage]) await everythingPublished(each);
      return measureBeside(stage, { here, elsewhere }, { share, ownCalls: ownCalls?.(stage) });
    },
  );

export const hostileScenarios: Record<string, Scenario> = {
  'hostile-360-environments': hostileTenant(async (stage, hostile) => {
    await runOnDatabase(
      stage.databaseUrl,
      `WITH project AS (
         INSERT INTO project (id, organization_id, name, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'Project ' || n, now() FROM generate_series(1, 90) n RETURNING id
       ), environment AS (
         INSERT INTO environment (id, project_id, kind, name, updated_at)
         SELECT gen_random_uuid(), project.id, 'development', 'Environment ' || n, now()
         FROM project, generate_series(1, 4) n RETURNING id
       )
       INSERT INTO outbox_entry (document_kind, document_id, bulk)
       SELECT 'environment'::document_kind, id, false FROM environment
       UNION ALL SELECT 'organization', $1::uuid, false`,
      [hostile.organizationId],
    );
    const calls = many(() => createCall(stage, hostile, randomUUID(), byDefault));
    return { parallel: 16, calls };
  }),

  'hostile-deep-lists': hostileTenant(async (stage, hostile) => {
    await runOnDatabase(
      stage.databaseUrl,
      `INSERT INTO content_asset (id, environment_id, content_id, kind, title, audio_languages, subtitle_languages,
         created_at, updated_at)
       SELECT gen_random_uuid(), $1::uuid, 'content-' || n, 'vod', 'Title ' || n, '{}', '{}',
         now() - n * interval '1 ms', now()
       FROM generate_series(1, 100000) n`,
      [hostile.siteId],
    );
    const list = (offset: number) => `/environments/${hostile.siteId}/content?limit=100&offset=${offset}`;
    const calls = many(() => managementCall(stage, hostile, 'GET', list(90_000 + randomInt(9_000))));
    return { parallel: 16, calls };
  }, ordinaryCalls),

  'hostile-32-writers': hostileTenant(async (stage, hostile) => {
    const path = `/projects/${hostile.projectId}/users`;
    const calls = many(() => managementCall(stage, hostile, 'POST', path, { subject: `user-${randomInt(10_000)}` }));
    return { parallel: 32, calls };
  }, ordinaryCalls),

  'hostile-releases': hostileTenant(async (stage, hostile) => {
    const { sessionId } = await started(createCall(stage, hostile, 'hostile', byDefault));
    const backend = hostile.with({ apiClient: await hostile.createApiClient(['sessions:release']) });
    const release = (id: string) => playbackCall(stage, backend, `/sessions/${id}/release`, { subject: 'hostile' });
    while ((await send(release(sessionId))).status !== 204) await sleep(50);
    // Releases of ids that were never created, and of one that has ended.
    const calls = many(() => release(randomInt(2) === 0 ? randomUUID() : sessionId));
    return { parallel: 32, calls };
  }),

  'hostile-evictions': hostileTenant(async (stage, hostile) => {
    const policy = {
      licensePolicy: {
        maximumHeight: 1080,
        maximumConcurrentStreams: 1,
        atStreamLimit: 'evict-oldest',
        tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
      },
    };
    const evict = createCall(stage, hostile, 'hostile', policy);
    await started(evict);
    return { parallel: 32, calls: [evict] };
  }),

  'hostile-environment-lists': hostileTenant(
    async (stage, hostile) => {
      const backend = hostile.with({ apiClient: await hostile.createApiClient(['sessions:read']) });
      const { sessionId } = await started(createCall(stage, hostile, 'hostile', byDefault));
      // So few sessions that each list reads every bucket.
      const list = playbackCall(stage, backend, '/sessions');
      for (;;) {
        const { status, body } = await send(list);
        if (status === 200 && JSON.stringify(body).includes(sessionId)) break;
        await sleep(50);
      }
      return { parallel: 16, calls: [list] };
    },
    undefined,
    0.5,
  ),

  'license-backend-hangs': hostileTenant(async (stage, hostile) => {
    // Accepts every request and never responds.
    const url = `${await startHttpServer((request) => void request.resume())}/license`;
    await hostile.manage('PUT', `/environments/${hostile.siteId}/drm-systems/widevine`, {
      enabled: true,
      backend: { type: 'http', url, responseFormat: 'raw' },
    });
    const { drm } = await started(createCall(stage, hostile, 'hostile', byDefault));
    const license: Call = {
      operation: 'license',
      baseUrl: stage.playbackUrls[0] ?? '',
      path: new URL(drm.licenseServerUrl).pathname,
      headers: { Authorization: `Bearer ${drm.drmLicenseToken}`, ...fromItsAddress },
      body: '\u0008\u0001challenge',
    };
    return { parallel: 32, calls: [license] };
  }),
};
