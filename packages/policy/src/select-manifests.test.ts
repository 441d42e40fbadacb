import { type Manifest, type ManifestSelection, selectManifests } from './select-manifests';

const manifest = (url: string, type: string, ...drmSystems: Manifest['drmSystems']): Manifest => ({
  url,
  type,
  drmSystems,
});
const manifests = [
  manifest('https://cdn.example/smooth', 'smooth', 'playready'),
  manifest('https://cdn.example/hls', 'hls', 'fairplay', 'widevine'),
  manifest('https://cdn.example/dash', 'dash', 'widevine', 'playready'),
  manifest('https://cdn.example/wiseplay', 'dash', 'wiseplay'),
];

function select(...parameters: Parameters<typeof selectManifests>): ManifestSelection | null {
  const manifests = selectManifests(...parameters);
  return manifests.outcome === 'refused' ? null : manifests.found;
}

const compatibleUrls = (...parameters: Parameters<typeof selectManifests>) =>
  select(...parameters)?.compatible.map(({ url }) => url.replace('https://cdn.example/', ''));

test.each<[string, Parameters<typeof selectManifests>[1], string[]]>([
  ['no hints: any type, in the registered order', { drmSystem: 'widevine' }, ['hls', 'dash']],
  ['null hints: any type', { drmSystem: 'widevine', platformCapabilities: null }, ['hls', 'dash']],
  ['hints without types: any type', { drmSystem: 'playready', platformCapabilities: {} }, ['smooth', 'dash']],
  ['null types: any type', { drmSystem: 'widevine', platformCapabilities: { manifestTypes: null } }, ['hls', 'dash']],
  ['one type: that one', { drmSystem: 'widevine', platformCapabilities: { manifestTypes: ['dash'] } }, ['dash']],
  [
    'two types: still in the registered order',
    { drmSystem: 'widevine', platformCapabilities: { manifestTypes: ['dash', 'hls'] } },
    ['hls', 'dash'],
  ],
  [
    'an unknown and a known type: the known one',
    { drmSystem: 'widevine', platformCapabilities: { manifestTypes: ['cmaf-next', 'dash'] } },
    ['dash'],
  ],
  ['another DRM system: its own manifest', { drmSystem: 'wiseplay' }, ['wiseplay']],
])('%s', (_case, request, expected) => {
  expect(compatibleUrls(manifests, request)).toEqual(expected);
});

test('the first compatible manifest is selected', () => {
  expect(select(manifests, { drmSystem: 'widevine' })?.selected).toBe(manifests[1]);
});

test.each<[string, Manifest[], Parameters<typeof selectManifests>[1], string]>([
  [
    'an empty list of types',
    manifests,
    { drmSystem: 'widevine', platformCapabilities: { manifestTypes: [] } },
    'manifestTypes',
  ],
  [
    'unknown types only',
    manifests,
    { drmSystem: 'widevine', platformCapabilities: { manifestTypes: ['DASH'] } },
    'manifestTypes',
  ],
  [
    'a type without a manifest for the DRM system',
    manifests,
    { drmSystem: 'fairplay', platformCapabilities: { manifestTypes: ['dash'] } },
    'fairplay',
  ],
  ['content without manifests', [], { drmSystem: 'widevine' }, 'no manifest for widevine.'],
])('%s finds no manifest', (_case, registered, request, detail) => {
  expect(selectManifests(registered, request)).toMatchObject({
    outcome: 'refused',
    code: 'manifest_not_available',
    detail: expect.stringContaining(detail),
  });
});
