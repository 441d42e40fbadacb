import {
  configurationWarnings,
  type JudgedContent,
  type LicensedSystem,
  type NamedPolicy,
  publicationWarnings,
} from './license-warnings';

const heights = { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 };
const drmToday: LicensedSystem = { drmSystem: 'wiseplay', backend: 'drmtoday' };
const axinom: LicensedSystem = { drmSystem: 'widevine', backend: 'axinom' };
const clearKey: LicensedSystem = { drmSystem: 'widevine', backend: 'clearkey' };

const rules = (wisePlayLevel: number) => ({
  widevine: { securityLevel: 1, hdcp: 'none' as const },
  wiseplay: { securityLevel: wisePlayLevel, outputControl: 0 },
});
const policy = (name: string, changes: Partial<NamedPolicy> = {}): NamedPolicy => ({
  name,
  maximumHeight: 1080,
  tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], ...rules(1) }],
  ...changes,
});
const weak = policy('weak');
const strong = policy('strong', { tracks: [{ trackTypes: ['SD'], ...rules(3) }] });
const keyId = '10000000-0000-4000-8000-0000000000a0';
const manifest = (type: 'dash' | 'hls', drmSystems: JudgedContent['manifests'][number]['drmSystems']) => ({
  type,
  url: `https://cdn.example.com/${type}/${drmSystems.join('-')}`,
  drmSystems,
});
const content = (contentId: string, changes: Partial<JudgedContent> = {}): JudgedContent => ({
  contentId,
  kind: 'vod',
  manifests: [manifest('dash', ['widevine', 'wiseplay'])],
  keys: [{ keyId, trackTypes: ['SD'], key: 'v1.sealed' }],
  ...changes,
});
const withoutKey = { keys: [{ keyId, trackTypes: ['SD' as const] }] };

describe('of a configuration', () => {
  async function* pagesOf(published: JudgedContent[]) {
    for (const each of published) yield [each];
  }
  const configured = (system: LicensedSystem, policies: NamedPolicy[], published: JudgedContent[] = []) =>
    configurationWarnings(system, { policies, usual: weak, heights }, pagesOf(published));

  test('policies with the same problem are named together', async () => {
    const [level3, again] = [strong, { ...strong, name: 'strong-too' }];
    expect(await configured(drmToday, [weak, level3, again])).toEqual([
      {
        code: 'license_policy_invalid',
        drmSystem: 'wiseplay',
        detail:
          'Under strong, strong-too, no session can be created for wiseplay. ' +
          "The environment's license backend cannot enforce the policy: WisePlay security level 3.",
      },
    ]);
  });

  test('ten are named and the others counted', async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...strong, name: `p${index}` }));
    expect(await configured(drmToday, many)).toMatchObject([
      { detail: expect.stringMatching(/^Under p0, .*, p9 and 2 more, no/) },
    ]);
  });

  test('tracks above the height of a policy and policies without rules for the DRM system do not count', async () => {
    const high = { trackTypes: ['UHD1' as const], ...rules(3) };
    const low = policy('low', { tracks: [...weak.tracks, high] });
    const other = policy('other', { tracks: [{ trackTypes: ['SD'], fairplay: { hdcp: 'none' } }] });
    expect(await configured(drmToday, [low, other])).toEqual([]);
    expect(await configured(drmToday, [{ ...low, maximumHeight: 2160 }])).toHaveLength(1);
  });

  test('published content without what the backend requires is named', async () => {
    const published = [content('kept'), content('none', { keys: [] }), content('ids', withoutKey)];
    const namedBy = async (system: LicensedSystem) =>
      (await configured(system, [weak], published)).map(({ code, detail }) => [code, detail.split(', no session')[0]]);
    expect(await namedBy(clearKey)).toEqual([['drm_system_not_supported', 'For the published content none, ids']]);
    expect(await namedBy(axinom)).toEqual([['drm_system_not_supported', 'For the published content none']]);
    expect(await namedBy({ drmSystem: 'widevine', backend: 'http' })).toEqual([]);
  });

  test('a problem of the usual policy is reported once, and not again for all content', async () => {
    const warnings = await configurationWarnings(
      drmToday,
      { policies: [strong], usual: strong, heights },
      pagesOf([content('a')]),
    );
    expect(warnings).toHaveLength(1);
  });
});

describe('of a publication', () => {
  const published = (
    of: JudgedContent,
    systems: LicensedSystem[],
    policies: NamedPolicy[] = [weak],
    ceiling: NamedPolicy | null = null,
  ) => publicationWarnings(of, systems, { policies, ceiling, heights });

  test('each DRM system of its manifests is checked separately', () => {
    expect(published(content('a', { keys: [] }), [axinom, drmToday])).toEqual([
      {
        code: 'drm_system_not_supported',
        drmSystem: 'widevine',
        detail:
          "Under weak, no session can be created for widevine. The environment's license backend cannot issue a license for " +
          'the content: Axinom requires key ids, and none is registered.',
      },
    ]);
  });

  test('at least one DRM system of the manifests must be enabled', () => {
    const manifests = [manifest('hls', ['fairplay']), manifest('hls', ['fairplay', 'playready'])];
    const hls = content('a', { manifests });
    expect(published(hls, [axinom])).toEqual([
      {
        code: 'drm_system_not_supported',
        drmSystem: null,
        detail:
          'No session can be created: the environment has enabled no DRM system of the manifests (fairplay, playready).',
      },
    ]);
  });

  test('each manifest that no enabled DRM system plays is named, although others are played', () => {
    const manifests = [
      manifest('dash', ['widevine', 'playready']),
      manifest('hls', ['fairplay']),
      manifest('dash', ['wiseplay', 'playready']),
    ];
    const both = content('a', { manifests });
    expect(published(both, [axinom])).toEqual([
      {
        code: 'drm_system_not_supported',
        drmSystem: 'fairplay',
        detail:
          'No session plays the hls manifest https://cdn.example.com/hls/fairplay: ' +
          'the environment has enabled no DRM system of it (fairplay).',
      },
      {
        code: 'drm_system_not_supported',
        drmSystem: null,
        detail: expect.stringMatching(/^No session plays the dash manifest .*\(wiseplay, playready\)\.$/),
      },
    ]);
    const playready: LicensedSystem = { drmSystem: 'playready', backend: 'axinom' };
    expect(published(both, [axinom, playready, { drmSystem: 'fairplay', backend: 'axinom' }])).toEqual([]);
  });

  test('one usual policy without a problem is enough; the content’s own policy must have none', () => {
    expect(published(content('a'), [drmToday], [strong, weak])).toEqual([]);
    expect(published(content('a'), [drmToday], [strong])).toMatchObject([{ code: 'license_policy_invalid' }]);
    expect(published(content('a'), [drmToday], [weak], strong)).toMatchObject([
      { detail: expect.stringMatching(/^Under strong, no session can be created for wiseplay/) },
    ]);
  });

  test('audio is checked by the AUDIO rules only', () => {
    const audio = content('a', { kind: 'audio' });
    const split = policy('split', {
      tracks: [
        { trackTypes: ['AUDIO'], ...rules(1) },
        { trackTypes: ['SD'], ...rules(3) },
      ],
    });
    expect(published(audio, [drmToday], [split])).toEqual([]);
    expect(published(audio, [drmToday], [strong])).toMatchObject([
      { code: 'license_policy_invalid', detail: expect.stringMatching(/no rules for AUDIO/) },
    ]);
    expect(published(audio, [{ drmSystem: 'widevine', backend: 'doverunner' }])).toMatchObject([
      { code: 'drm_system_not_supported', detail: expect.stringMatching(/audio only/) },
    ]);
  });

  test('a document never plays, and content without a manifest does not play yet', () => {
    expect(published(content('a', { kind: 'document', manifests: [] }), [axinom])).toEqual([
      {
        code: 'content_type_mismatch',
        drmSystem: null,
        detail: 'Contract v1 has no playback sessions for documents.',
      },
    ]);
    expect(published(content('a', { kind: 'audio', manifests: [] }), [axinom])).toMatchObject([
      { code: 'manifest_not_available', drmSystem: null },
    ]);
  });
});
