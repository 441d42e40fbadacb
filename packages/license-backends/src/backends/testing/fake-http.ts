import assert from 'node:assert/strict';
import type { DrmSystem } from '../license-backend';
import { answerOf, type FakeServer, rawChallengeHeaders } from './exchange';
import { challenges, licenses } from './sample-messages';

export const httpBackendSettings = {
  type: 'http',
  url: 'https://keys.customer.example:8443/license?tenant=7',
  headers: { 'X-Tenant': 'seven' },
  secretHeaders: { Authorization: 'Basic c2VjcmV0OnBhc3N3b3Jk' },
  policyHeader: 'X-Policy',
  responseFormat: '$.license',
} as const;

/** A customer's license server that answers in JSON; `policies` collects the values of the policy header. */
export function fakeHttpServer(
  drmSystem: DrmSystem,
  policies: string[] = [],
  challenge = challenges[drmSystem],
): FakeServer {
  return ({ url, headers, body }) => {
    assert.equal(url, httpBackendSettings.url);
    const { 'x-policy': policy = '', authorization, ...others } = headers;
    assert.deepEqual(others, { ...rawChallengeHeaders(drmSystem), 'x-tenant': 'seven' });
    if (authorization !== httpBackendSettings.secretHeaders.Authorization) return answerOf(401, 'secret of the vendor');
    policies.push(policy);
    if (!body.equals(challenge)) return answerOf(400, 'secret of the vendor');
    return answerOf(200, { license: licenses[drmSystem].toString('base64') });
  };
}
