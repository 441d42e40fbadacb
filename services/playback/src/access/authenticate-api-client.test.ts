import crypto, { createHash } from 'node:crypto';
import type { ApiClientDocument } from '@multi-drm/contracts';
import type { Catalog } from '../catalog/catalog';
import { makeTenant } from '../testing/published-tenant';
import { authenticateApiClient } from './authenticate-api-client';

const now = new Date('2026-06-15T12:00:00.000Z');
const hashOf = (accessKey: string) => createHash('sha256').update(accessKey).digest('hex');
const { client: current, accessKey } = makeTenant();

/** Authenticates against the published client; returns the outcome and the uses that were recorded. */
async function authenticate(client: ApiClientDocument, credentials: { clientId?: string; accessKey?: string }) {
  const catalog = { apiClient: async (id: string) => (id === client.clientId ? client : null) } as Catalog;
  const uses: string[] = [];
  const given = { clientId: client.clientId, accessKey, ...credentials };
  const note = { note: (...use: [clientId: string, accessKeyHash: string]) => void uses.push(use.join(' ')) };
  const outcome = await authenticateApiClient(catalog, { ...given }, () => now, note).catch((error: unknown) => error);
  return { outcome, uses };
}

const failed = expect.objectContaining({
  code: 'client_authentication_failed',
  detail: 'The client id or the access key is not valid.',
});

test('a client with its access key is accepted, and the use of the key is recorded', async () => {
  const use = `${current.clientId} ${hashOf(accessKey)}`;
  expect(await authenticate(current, {})).toEqual({ outcome: current, uses: [use] });
});

test.each<[string, Partial<ApiClientDocument>, { clientId?: string; accessKey?: string }]>([
  ['an unknown client id', {}, { clientId: 'ci_unknown' }],
  ['an empty client id', {}, { clientId: '' }],
  ['a wrong access key', {}, { accessKey: 'ak_wrong' }],
  ['an empty access key', {}, { accessKey: '' }],
  ['the hash in place of the access key', {}, { accessKey: current.accessKeyHashes[0] ?? '' }],
  ['a client that has expired', { expiresAt: now.toISOString() }, {}],
  ['a client without access keys', { accessKeyHashes: [] }, {}],
])('%s is refused with the same message, and no use is recorded', async (_case, change, credentials) => {
  expect(await authenticate({ ...current, ...change }, credentials)).toEqual({ outcome: failed, uses: [] });
});

test('an unknown client id takes as many hash comparisons as a wrong access key, so timing does not reveal it', async () => {
  const comparisons = jest.spyOn(crypto, 'timingSafeEqual');
  await authenticate(current, { accessKey: 'ak_wrong' });
  const wrongKeyComparisons = comparisons.mock.calls.length;
  await authenticate(current, { clientId: 'ci_unknown' });
  expect([wrongKeyComparisons, comparisons.mock.calls.length]).toEqual([1, 2]);
  comparisons.mockRestore();
});

describe('the access key before a rotation', () => {
  test.each([
    ['is accepted until the overlap ends', new Date(now.getTime() + 1), true],
    ['is refused from then on', now, false],
  ])('%s', async (_case, validUntil, opens) => {
    const previousAccessKey = { hash: hashOf('ak_before'), validUntil: validUntil.toISOString() };
    const rotated = { ...current, previousAccessKey };
    const { outcome, uses } = await authenticate(rotated, { accessKey: 'ak_before' });
    expect(outcome).toEqual(opens ? rotated : failed);
    expect(uses).toEqual(opens ? [`${current.clientId} ${hashOf('ak_before')}`] : []);
    expect((await authenticate(rotated, {})).outcome).toBe(rotated);
  });
});
