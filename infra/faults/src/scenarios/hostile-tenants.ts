import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runOnDatabase } from '@multi-drm/local/testing';
import { type Customer, credentialsOf } from '../../../e2e/customer';
import { measureBeside, repeatedly } from '../beside';
import { type Answer, send } from '../calls';
import { onStage, type Scenario } from '../scenario';
import type { Stage } from '../stage';

const manage = (
  stage: Stage,
  customer: Customer,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> =>
  send({
    operation: 'manage',
    method,
    baseUrl: stage.controlPlane.url,
    path: `/api/v1/management${path}`,
    headers: customer.authorization,
    ...(body === undefined ? {} : { body }),
  });

/** What another tenant does at the control plane meanwhile: it writes, and reads a list. */
const ordinaryCalls = (stage: Stage) => () => {
  const { customer } = stage;
  return randomInt(2) === 0
    ? manage(stage, customer, 'POST', `/projects/${customer.projectId}/users`, { subject: `user-${randomInt(100)}` })
    : manage(stage, customer, 'GET', `/environments/${customer.siteId}/content?limit=20`);
};

const hostileTenant = (run: (stage: Stage, hostile: Customer) => ReturnType<Scenario>): Scenario =>
  onStage({ playbacks: 1 }, async (stage) => run(stage, await stage.addCustomer()));

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
    const load = stage.load({ prefix: 'hostile' }, hostile);
    return measureBeside(
      stage,
      repeatedly(16, () => load.create(`hostile-${randomInt(1_000_000)}`)),
    );
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
    const list = () =>
      manage(
        stage,
        hostile,
        'GET',
        `/environments/${hostile.siteId}/content?limit=100&offset=${90_000 + randomInt(9_000)}`,
      );
    return measureBeside(stage, repeatedly(16, list), ordinaryCalls(stage));
  }),

  'hostile-32-writers': hostileTenant(async (stage, hostile) => {
    const write = () =>
      manage(stage, hostile, 'POST', `/projects/${hostile.projectId}/users`, { subject: `user-${randomInt(10_000)}` });
    return measureBeside(stage, repeatedly(32, write), ordinaryCalls(stage));
  }),

  'hostile-releases': hostileTenant(async (stage, hostile) => {
    const load = stage.load({ prefix: 'hostile' }, hostile);
    await load.create('hostile-0');
    const [session] = load.ledger.sessions.values();
    if (session === undefined) throw new Error('the hostile tenant has no session');
    return measureBeside(
      stage,
      repeatedly(32, () => load.release(session)),
    );
  }),

  'hostile-evictions': hostileTenant(async (stage, hostile) => {
    const evict = () =>
      send({
        operation: 'create',
        baseUrl: stage.playbackUrls[0] ?? '',
        path: `/api/v1/playback/environments/${hostile.siteId}/sessions`,
        headers: credentialsOf(hostile.apiClient),
        body: {
          contentId: 'lesson',
          contentType: 'vod',
          drmSystem: 'widevine',
          subject: 'hostile-0',
          licensePolicy: {
            maximumHeight: 1080,
            maximumConcurrentStreams: 1,
            atStreamLimit: 'evict-oldest',
            tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
          },
        },
      });
    const first = await evict();
    if (first.status !== 200) throw new Error(`an eviction is answered ${first.status} ${JSON.stringify(first.body)}`);
    return measureBeside(stage, repeatedly(32, evict));
  }),

  'license-backend-hangs': hostileTenant(async (stage, hostile) => {
    // Takes every request and answers none.
    const server = createServer((request) => void request.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/license`;
    await hostile.manage('PUT', `/environments/${hostile.siteId}/drm-systems/widevine`, {
      enabled: true,
      backend: { type: 'http', url, responseFormat: 'raw' },
    });
    const load = stage.load({ prefix: 'hostile' }, hostile);
    await load.create('hostile-0');
    const [session] = load.ledger.sessions.values();
    if (session === undefined) throw new Error('the hostile tenant has no session');
    try {
      return await measureBeside(
        stage,
        repeatedly(32, () => load.license(session)),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }),
};
