import type { ContentDocument } from '@multi-drm/contracts';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
beforeAll(async () => {
  playback = await startPlayback();
});

/** A tenant whose DRM systems all use one type of backend. */
async function tenantWith(backend: string, content: Partial<ContentDocument>): Promise<PublishedTenant> {
  const tenant = makeTenant();
  for (const system of tenant.environment.drmSystems) system.backend = backend;
  const drmSystems = tenant.environment.drmSystems.map(({ drmSystem }) => drmSystem);
  const manifests = [{ type: 'dash', url: 'https://cdn.example.com/any.mpd', drmSystems }];
  tenant.content = { ...tenant.content, manifests, ...content };
  await playback.publish(tenant);
  return tenant;
}

const standard = { licensePolicyTemplate: 'multi-tier-standard' };
const video = { maximumHeight: 1080, tracks: [{ trackTypes: ['SD'], widevine: { securityLevel: 1, hdcp: 'none' } }] };

test.each<[string, string, Partial<ContentDocument>, object, string]>([
  [
    'a WisePlay level that DRMtoday has no field for',
    'drmtoday',
    {},
    { drmSystem: 'wiseplay', ...standard },
    'license_policy_invalid',
  ],
  ['content without stored keys on ClearKey', 'clearkey', {}, {}, 'drm_system_not_supported'],
  ['content without key ids on Axinom', 'axinom', { keys: [] }, {}, 'drm_system_not_supported'],
  ['audio only on DoveRunner', 'doverunner', { kind: 'audio' }, {}, 'drm_system_not_supported'],
  [
    'audio under a policy for video only',
    'http',
    { kind: 'audio' },
    { licensePolicy: video },
    'license_policy_invalid',
  ],
  ['a document', 'http', { kind: 'document' }, {}, 'content_type_mismatch'],
])(
  '%s: no session and no slot, for the same reason as in the evaluation',
  async (_what, backend, content, change, code) => {
    const tenant = await tenantWith(backend, content);
    const request = sessionRequest(change);
    const refusal = await playback.create(tenant, request).expect(422);
    expect(refusal.body.code).toBe(code);
    const { body: evaluation } = await playback
      .asClient(tenant, 'post', '/sessions/evaluations')
      .send(request)
      .expect(200);
    expect(evaluation).toMatchObject({ allowed: false, code });
    expect(evaluation.steps.at(-1)).toMatchObject({ outcome: 'refused', detail: refusal.body.detail });
    const { body: list } = await playback
      .asClient(tenant, 'get', `/sessions?subject=${String(request.subject)}`)
      .expect(200);
    expect(list.items).toEqual([]);
  },
);

test('audio plays as vod, under only the AUDIO rules of its policy', async () => {
  const tenant = await tenantWith('http', { kind: 'audio' });
  const { body } = await playback.create(tenant, sessionRequest()).expect(200);
  expect(body).toMatchObject({ contentType: 'vod', policy: { allowedTrackTypes: ['AUDIO'] } });
});
