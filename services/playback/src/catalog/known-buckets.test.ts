import type { PublishedDeployment } from '@multi-drm/contracts';
import { buckets } from '@multi-drm/slots/testing';
import { deployment } from '../testing/published-tenant';
import { knownBuckets } from './known-buckets';
import { notComplete } from './not-complete';

const environmentId = '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77';
const checksum = buckets.checksumOf(environmentId, 'viewer-1');

let published: PublishedDeployment | null;
const read = knownBuckets({ deployment: async () => published });

test('buckets are unknown before anything is published, then those published last, even if nothing is any more', async () => {
  published = null;
  await expect(read()).rejects.toMatchObject({ code: notComplete().code });
  published = deployment;
  expect((await read()).checksumOf(environmentId, 'viewer-1')).toBe(checksum);
  published = null;
  expect((await read()).checksumOf(environmentId, 'viewer-1')).toBe(checksum);
  published = { ...deployment, subjectHashKey: Buffer.alloc(32, 9).toString('base64') };
  expect((await read()).checksumOf(environmentId, 'viewer-1')).not.toBe(checksum);
});
