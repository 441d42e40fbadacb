import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '@multi-drm/contracts';
import { z } from 'zod';
import { axinom } from './axinom';
import { backendDescriptors } from './backend-descriptors';
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
    const { request } = JSON.parse(requestOf(widevineProxy.create(widevineSettings), call).body.toString());
    const { content_key_specs } = JSON.parse(Buffer.from(request, 'base64').toString());
    const { security_level, required_output_protection } = content_key_specs[0];
    return { security_level, required_output_protection };
  },
  axinom: (call: LicenseCall) => {
    const token = requestOf(axinom.create(axinomSettings), call).headers['x-axdrm-message'] ?? '';
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

const vendorNames = Object.keys(asked) as (keyof typeof asked)[];

/** A row of the table of a DRM system, with a column for each vendor that serves it. */
function row<System extends DrmSystem>(drmSystem: System, value: string, rules: Rules<System>): string {
  const call = callUnder(drmSystem, rules);
  const vendors = vendorNames.filter((vendor) => backendDescriptors[vendor].systems.includes(drmSystem));
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

const rows = [
  ...[1, 2, 3, 4, 5].map((securityLevel) => row('widevine', `level ${securityLevel}`, { securityLevel, hdcp: 'none' })),
  ...hdcp.map((version) => row('widevine', `HDCP ${version}`, { securityLevel: 1, hdcp: version })),
  ...([150, 2000, 3000] as const).map((securityLevel) =>
    row('playready', `level ${securityLevel}`, { securityLevel, outputProtection: 'none' }),
  ),
  ...(['none', 'hdcp', 'hdcp-type1'] as const).map((outputProtection) =>
    row('playready', outputProtection, { securityLevel: 2000, outputProtection }),
  ),
  ...(['none', 'type0', 'type1'] as const).map((type) => row('fairplay', type, { hdcp: type })),
  ...[1, 2, 3].map((securityLevel) => row('wiseplay', `level ${securityLevel}`, { securityLevel, outputControl: 0 })),
  ...[0, 1, 2, 3].map((outputControl) =>
    row('wiseplay', `output control ${outputControl}`, { securityLevel: 1, outputControl }),
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
