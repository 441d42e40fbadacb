import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '@multi-drm/contracts';
import { z } from 'zod';
import { axinom } from './axinom';
import { doveRunnerPolicy } from './doverunner-policy';
import { outputProtectionOf } from './drmtoday-output-protection';
import type { DrmSystem, LicenseCall } from './license-backend';
import type { Rules } from './policy-rules';
import { callOf } from './testing/calls';
import { requestOf } from './testing/exchange';
import { axinomSettings } from './testing/fake-axinom';
import { widevineSettings } from './testing/fake-widevine-service';
import { widevineProxy } from './widevine-proxy';

const document = readFileSync(join(__dirname, '../../../../docs/license-formats.md'), 'utf8');

/** A call for SD only, with these rules and one key. */
function callUnder<System extends DrmSystem>(drmSystem: System, rules: Rules<System>): LicenseCall {
  const call = callOf(drmSystem);
  const policy = { ...call.policy, tracks: [{ trackTypes: ['SD' as const], [drmSystem]: rules }] };
  return { ...call, policy, keys: [{ keyId: call.sessionId, trackTypes: ['SD'], key: null }] };
}

const anything = z.record(z.string(), z.json());
const enhancedProtection = z.object({ op: z.object({ config: z.object({ SD: anything }) }) });
const text = (value: unknown): string => `\`${JSON.stringify(value)}\``;

/** The part of each vendor's request that the document shows. */
const asked = {
  'widevine-proxy': (call: LicenseCall) => {
    const { request } = JSON.parse(requestOf(widevineProxy(widevineSettings), call).body.toString());
    const { content_key_specs } = JSON.parse(Buffer.from(request, 'base64').toString());
    const { security_level, required_output_protection } = content_key_specs[0];
    return { security_level, required_output_protection };
  },
  axinom: (call: LicenseCall) => {
    const token = requestOf(axinom(axinomSettings), call).headers['x-axdrm-message'] ?? '';
    const { message } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return message.content_key_usage_policies[0][call.drmSystem];
  },
  drmtoday: (call: LicenseCall) => {
    const protection = outputProtectionOf(call);
    const enhanced = enhancedProtection.safeParse(protection);
    return enhanced.success ? { SD: enhanced.data.op.config.SD } : protection;
  },
  doverunner: (call: LicenseCall) => anything.parse(doveRunnerPolicy(call).security_policy[0])[call.drmSystem],
};

function row(call: LicenseCall, value: string, ...vendors: (keyof typeof asked)[]): string {
  const cells = vendors.map((vendor) => {
    try {
      return text(asked[vendor](call));
    } catch (error) {
      if (error instanceof Problem && error.code === 'license_backend_refused') return 'refused';
      throw error;
    }
  });
  return `| ${[value, ...cells].join(' | ')} |`;
}

const hdcp = ['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3'] as const;
const widevineVendors = ['widevine-proxy', 'axinom', 'drmtoday', 'doverunner'] as const;
const vendors = ['axinom', 'drmtoday', 'doverunner'] as const;

const rows = [
  ...[1, 2, 3, 4, 5].map((securityLevel) =>
    row(callUnder('widevine', { securityLevel, hdcp: 'none' }), `level ${securityLevel}`, ...widevineVendors),
  ),
  ...hdcp.map((version) =>
    row(callUnder('widevine', { securityLevel: 1, hdcp: version }), `HDCP ${version}`, ...widevineVendors),
  ),
  ...([150, 2000, 3000] as const).map((securityLevel) =>
    row(callUnder('playready', { securityLevel, outputProtection: 'none' }), `level ${securityLevel}`, ...vendors),
  ),
  ...(['none', 'hdcp', 'hdcp-type1'] as const).map((outputProtection) =>
    row(callUnder('playready', { securityLevel: 2000, outputProtection }), outputProtection, ...vendors),
  ),
  ...(['none', 'type0', 'type1'] as const).map((type) => row(callUnder('fairplay', { hdcp: type }), type, ...vendors)),
  ...[1, 2, 3].map((securityLevel) =>
    row(callUnder('wiseplay', { securityLevel, outputControl: 0 }), `level ${securityLevel}`, 'drmtoday', 'doverunner'),
  ),
  ...[0, 1, 2, 3].map((outputControl) =>
    row(
      callUnder('wiseplay', { securityLevel: 1, outputControl }),
      `output control ${outputControl}`,
      'drmtoday',
      'doverunner',
    ),
  ),
];

/** Collapses the padding that aligns the columns. */
const lines = document.split('\n').map((line) => line.replaceAll(/ +/g, ' '));

test.each(rows)('the document has the row: %s', (expected) => {
  expect(lines).toContainEqual(expected);
});

test('the document has no other rows in its tables of rules', () => {
  const isRule = /^\| (level|HDCP|output control|none|hdcp|hdcp-type1|type[01]) ?[\d.]*(none)? \|/;
  expect(lines.filter((line) => isRule.test(line)).sort()).toEqual([...rows].sort());
});
