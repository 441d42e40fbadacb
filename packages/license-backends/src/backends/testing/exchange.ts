import assert from 'node:assert/strict';
import type { BackendAnswer, BackendRequest, DrmSystem, LicenseBackend, LicenseCall } from '../license-backend';
import { acquireLicenseAction } from './sample-messages';

export type FakeServer = (request: BackendRequest) => BackendAnswer | Promise<BackendAnswer>;

/** Returns the request that a backend sends. */
export function requestOf(backend: LicenseBackend, call: LicenseCall): BackendRequest {
  const prepared = backend.prepare(call);
  assert('makeRequest' in prepared, 'the backend sends a request');
  return prepared.makeRequest();
}

/** Gets one license from a fake server. */
export async function exchange(backend: LicenseBackend, call: LicenseCall, server: FakeServer): Promise<Buffer> {
  return backend.unwrap(await server(requestOf(backend, call)), call);
}

export function answerOf(
  status: number,
  body: Buffer | string | object,
  headers: Record<string, string> = {},
): BackendAnswer {
  if (typeof body === 'string') return { status, headers, body: Buffer.from(body) };
  return { status, headers, body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) };
}

/** The headers that accompany raw challenges. */
export function rawChallengeHeaders(drmSystem: DrmSystem): Record<string, string> {
  if (drmSystem !== 'playready') return { 'content-type': 'application/octet-stream' };
  return { 'content-type': 'text/xml; charset=utf-8', soapaction: acquireLicenseAction };
}
