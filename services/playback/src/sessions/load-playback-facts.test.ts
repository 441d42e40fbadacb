import type { ContentDocument, LicenseProfileDocument } from '@multi-drm/contracts';
import { contentWith, environmentWith, organization, profileWith, rightsWith } from '@multi-drm/policy/testing';
import { buckets } from '@multi-drm/slots/testing';
import type { Catalog } from '../catalog/catalog';
import { loadPlaybackFacts } from './load-playback-facts';

const request = {
  contentId: 'lesson-0042',
  contentType: 'vod' as const,
  drmSystem: 'widevine' as const,
  subject: 'viewer',
};

/** An in-memory catalog that records which license profiles are read. */
function catalogWith(content: ContentDocument | null, profiles: LicenseProfileDocument[]) {
  const profilesRead: string[] = [];
  const catalog: Catalog = {
    deployment: async () => null,
    generation: async () => ({ id: 'first', buckets }),
    project: async () => null,
    organization: async () => organization,
    environment: async () => null,
    content: async () => content,
    licenseProfile: async (_projectId, name) => {
      profilesRead.push(name);
      return profiles.find((profile) => profile.name === name) ?? null;
    },
    licenseBackend: async () => null,
    endUser: async () => null,
    apiClient: async () => null,
  };
  return { catalog, profilesRead };
}

test('the license profile of a content asset is read if it has one', async () => {
  const studio = profileWith();
  const { catalog, profilesRead } = catalogWith(contentWith({ licenseProfileName: 'studio' }), [studio]);
  const facts = await loadPlaybackFacts(catalog, request, environmentWith());
  expect(facts).toMatchObject({ organization, ceiling: studio, content: { licenseProfileName: 'studio' } });
  expect(profilesRead).toEqual(['studio']);
});

test("the license profile of a content asset is the project's, even under the name of a built-in template", async () => {
  const { catalog } = catalogWith(contentWith({ licenseProfileName: 'single-software' }), []);
  expect((await loadPlaybackFacts(catalog, request, environmentWith())).ceiling).toBeNull();
});

test.each([
  ['without a license profile', contentWith()],
  ['that is not registered', null],
])('nothing more is read for content %s', async (_case, content) => {
  const { catalog, profilesRead } = catalogWith(content, [profileWith()]);
  const facts = await loadPlaybackFacts(catalog, request, environmentWith());
  expect(facts).toMatchObject({ content, ceiling: null });
  expect(profilesRead).toEqual([]);
});

test('a named profile is returned with its rights', async () => {
  const rights = rightsWith({ availableUntil: '2027-01-01T00:00:00Z', allowedClientPlatforms: ['web'] });
  const { catalog } = catalogWith(contentWith(), [profileWith({ name: 'gold', rights })]);
  const { findTemplate } = await loadPlaybackFacts(
    catalog,
    { ...request, licensePolicyTemplate: 'gold' },
    environmentWith(),
  );
  expect(findTemplate('gold')).toMatchObject({
    atStreamLimit: 'evict-oldest',
    availableUntil: '2027-01-01T00:00:00Z',
    allowedClientPlatforms: ['web'],
  });
  expect(findTemplate('silver')).toBeUndefined();
  expect(findTemplate('single-software')?.maximumHeight).toBe(1080);
});
