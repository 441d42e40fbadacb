import type {
  ContentDocument,
  EnvironmentDocument,
  LicenseProfileDocument,
  OrganizationDocument,
  PlaybackSchemas,
} from '@multi-drm/contracts';
import { contentWith, environmentWith, now, organization, profileWith, rightsWith } from '@multi-drm/policy/testing';
import { buckets } from '@multi-drm/slots/testing';
import type { Catalog } from '../catalog/catalog';
import { KnownGrants } from './known-grants';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

interface Documents {
  environment: EnvironmentDocument;
  organization: OrganizationDocument;
  content: ContentDocument;
  profile: LicenseProfileDocument;
}

const request: CreateRequest = {
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  subject: 'viewer',
  licensePolicyTemplate: 'gold',
};

const documents: Documents = {
  environment: environmentWith(),
  organization,
  content: contentWith(),
  profile: profileWith({ name: 'gold' }),
};

function catalogOf(current: Documents): Catalog {
  return {
    deployment: async () => null,
    generation: async () => ({ id: 'first', buckets }),
    project: async () => null,
    organization: async () => current.organization,
    environment: async () => current.environment,
    content: async () => current.content,
    licenseProfile: async () => current.profile,
    licenseBackend: async () => null,
    endUser: async () => null,
    apiClient: async () => null,
  };
}

describe('the grants of sessions', () => {
  const { environmentId } = documents.environment;
  let grants: KnownGrants;
  beforeEach(() => {
    grants = new KnownGrants();
  });
  const decide = (current = documents, changes: Partial<CreateRequest> = {}, time = now) =>
    grants.decide(catalogOf(current), { ...request, ...changes }, environmentId, () => time);

  it('are the same for equal requests of different viewers', async () => {
    const first = await decide();
    const others = { subject: 'other', sessionId: 'own', attemptId: '2', applicationId: 'app', reporting: { a: 1 } };
    expect(first).toMatchObject({ allowed: true, policy: { template: 'gold' }, organization });
    expect(await decide(documents, others)).toBe(first);
  });

  it('of long requests are not remembered, so that they cannot fill the memory', async () => {
    const capabilities = (letters: number) => ({ platformCapabilities: { codecs: 'a'.repeat(letters) } });
    expect(await decide(documents, capabilities(3_000))).toBe(await decide(documents, capabilities(3_000)));
    expect(await decide(documents, capabilities(5_000))).not.toBe(await decide(documents, capabilities(5_000)));
  });

  it.each<[string, Partial<CreateRequest>]>([
    ['DRM system', { drmSystem: 'fairplay' }],
    ['manifest type', { platformCapabilities: { manifestTypes: ['dash'] } }],
    ['client platform', { platformCapabilities: { clientPlatform: 'web' } }],
    ['policy', { licensePolicyTemplate: 'single-software' }],
  ])('are decided again for another %s', async (_name, changes) => {
    const first = await decide();
    const second = await decide(documents, changes);
    expect(second).not.toBe(first);
    expect(second).toEqual(
      await new KnownGrants().decide(catalogOf(documents), { ...request, ...changes }, environmentId, () => now),
    );
  });

  it.each<[string, Partial<Documents>, string]>([
    ['environment', { environment: { ...documents.environment, drmSystems: [] } }, 'drm_system_not_supported'],
    ['organization', { organization: { ...organization, status: 'suspended' } }, 'environment_suspended'],
    ['content', { content: contentWith({ status: 'draft' }) }, 'content_not_published'],
    [
      'license profile',
      { profile: profileWith({ name: 'gold', rights: rightsWith({ allowedClientPlatforms: ['tv'] }) }) },
      'client_platform_not_allowed',
    ],
  ])('end with a change of the %s', async (_name, change, code) => {
    await decide();
    expect(await decide({ ...documents, ...change })).toMatchObject({ allowed: false, refusal: { code } });
  });

  it("end with a change of the content's license profile", async () => {
    const content = contentWith({ licenseProfileName: 'gold' });
    await decide({ ...documents, content });
    const profile = profileWith({ name: 'gold', rights: rightsWith({ maximumConcurrentStreams: 1 }) });
    expect(await decide({ ...documents, content, profile })).toMatchObject({ policy: { streamCeiling: 1 } });
  });

  it('end with the availability window', async () => {
    const availableUntil = '2026-06-15T13:00:00.000Z';
    const limited = { ...documents, profile: profileWith({ name: 'gold', rights: rightsWith({ availableUntil }) }) };
    expect(await decide(limited)).toMatchObject({ allowed: true });
    const refused = await decide(limited, {}, new Date(availableUntil));
    expect(refused).toMatchObject({ allowed: false, refusal: { code: 'content_not_available' } });
    expect(await decide(limited)).toMatchObject({ allowed: true });
  });

  it('are not remembered for refusals', async () => {
    const from = '2026-06-15T12:00:01.000Z';
    const early = { ...documents, profile: profileWith({ name: 'gold', rights: rightsWith({ availableFrom: from }) }) };
    expect(await decide(early)).toMatchObject({ allowed: false });
    expect(await decide(early, {}, new Date(from))).toMatchObject({ allowed: true });
  });
});
