import { type DrmRules, strictestRules } from './strictest-rules';

// Each row is ordered from weakest to strictest.
const orders: [string, DrmRules[]][] = [
  ['Widevine level', [1, 2, 3, 4, 5].map((securityLevel) => ({ widevine: { securityLevel, hdcp: 'none' as const } }))],
  [
    'Widevine HDCP',
    (['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3'] as const).map((hdcp) => ({
      widevine: { securityLevel: 1, hdcp },
    })),
  ],
  [
    'PlayReady level',
    ([150, 2000, 3000] as const).map((securityLevel) => ({ playready: { securityLevel, outputProtection: 'none' } })),
  ],
  [
    'PlayReady output protection',
    (['none', 'hdcp', 'hdcp-type1'] as const).map((outputProtection) => ({
      playready: { securityLevel: 150 as const, outputProtection },
    })),
  ],
  ['FairPlay HDCP', (['none', 'type0', 'type1'] as const).map((hdcp) => ({ fairplay: { hdcp } }))],
  ['WisePlay level', [1, 2, 3].map((securityLevel) => ({ wiseplay: { securityLevel, outputControl: 0 } }))],
  ['WisePlay output control', [0, 1, 2].map((outputControl) => ({ wiseplay: { securityLevel: 1, outputControl } }))],
];

test.each(orders)('the stricter %s wins, whichever comes first', (_rule, order) => {
  for (const [index, rules] of order.entries()) {
    for (const [otherIndex, other] of order.entries()) {
      expect(strictestRules(rules, other)).toEqual(order[Math.max(index, otherIndex)]);
    }
  }
});

test('each rule is compared on its own', () => {
  const one: DrmRules = { widevine: { securityLevel: 5, hdcp: 'none' } };
  const other: DrmRules = { widevine: { securityLevel: 1, hdcp: '2.2' } };
  expect(strictestRules(one, other)).toEqual({ widevine: { securityLevel: 5, hdcp: '2.2' } });
});

test('a DRM system without rules in either policy has none in the result', () => {
  const both: DrmRules = { fairplay: { hdcp: 'none' }, wiseplay: { securityLevel: 1, outputControl: 0 } };
  expect(strictestRules(both, { fairplay: { hdcp: 'type0' } })).toEqual({ fairplay: { hdcp: 'type0' } });
  expect(strictestRules({ fairplay: { hdcp: 'type0' } }, both)).toEqual({ fairplay: { hdcp: 'type0' } });
});
