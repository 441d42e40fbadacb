import type { PlaybackSchemas } from '@multi-drm/contracts';
import { findBuiltInTemplate } from './built-in-templates';
import { environmentWith, resolvePolicy } from './testing/facts';

type DrmSystem = PlaybackSchemas['DrmSystem'];

const environment = environmentWith({ maximumConcurrentStreams: null });

// Widevine: security level and HDCP. PlayReady: security level and output protection. FairPlay: HDCP. WisePlay:
// security level and output control.
const table: [template: string, height: number, tracks: string, Record<DrmSystem, string>][] = [
  [
    'single-software',
    1080,
    'AUDIO SD HD',
    { widevine: '1 none', playready: '2000 none', fairplay: 'none', wiseplay: '1 0' },
  ],
  [
    'single-hdcp',
    1080,
    'AUDIO SD HD',
    { widevine: '1 1.0', playready: '2000 hdcp', fairplay: 'type0', wiseplay: '1 1' },
  ],
  [
    'single-hardware',
    2160,
    'AUDIO',
    { widevine: '3 2.2', playready: '3000 hdcp-type1', fairplay: 'type1', wiseplay: '2 2' },
  ],
  [
    'single-hardware',
    2160,
    'SD HD UHD1',
    { widevine: '5 2.2', playready: '3000 hdcp-type1', fairplay: 'type1', wiseplay: '2 2' },
  ],
  [
    'multi-tier-standard',
    2160,
    'AUDIO SD',
    { widevine: '1 none', playready: '2000 none', fairplay: 'none', wiseplay: '1 0' },
  ],
  [
    'multi-tier-standard',
    2160,
    'HD',
    { widevine: '3 1.0', playready: '2000 hdcp', fairplay: 'type0', wiseplay: '2 1' },
  ],
  [
    'multi-tier-standard',
    2160,
    'UHD1',
    { widevine: '5 2.2', playready: '3000 hdcp-type1', fairplay: 'type1', wiseplay: '2 2' },
  ],
];

const cells = table.flatMap(([template, height, tracks, rules]) =>
  Object.entries(rules).map(([drmSystem, text]) => ({
    template,
    height,
    tracks,
    drmSystem: drmSystem as DrmSystem,
    text,
  })),
);

test.each(cells)(
  '$template requires of $drmSystem for $tracks: $text',
  ({ template, height, tracks, drmSystem, text }) => {
    const policy = resolvePolicy({ drmSystem, licensePolicyTemplate: template }, environment);
    expect(policy).toMatchObject({ template, maximumHeight: height, maximumConcurrentStreams: null });
    for (const trackType of tracks.split(' ')) {
      const track = policy.tracks.find((candidate) => candidate.trackType === trackType);
      expect(Object.values(track?.[drmSystem] ?? {}).join(' ')).toBe(text);
    }
  },
);

test.each(['single-software', 'single-hdcp', 'single-hardware', 'multi-tier-standard'])(
  '%s allows exactly the track types of the table',
  (template) => {
    const expected = table.filter(([name]) => name === template).flatMap(([, , tracks]) => tracks.split(' '));
    const policy = resolvePolicy({ drmSystem: 'widevine', licensePolicyTemplate: template }, environment);
    expect(policy.allowedTrackTypes).toEqual(expected);
  },
);

test.each(['', 'Single-Software', 'constructor', '__proto__'])('"%s" is not a built-in template', (name) => {
  expect(findBuiltInTemplate(name)).toBeUndefined();
});
