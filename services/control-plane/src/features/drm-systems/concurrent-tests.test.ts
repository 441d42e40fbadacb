import type { BackendAnswer } from '@multi-drm/license-backends';
import { Secrets } from '@multi-drm/service-kit';
import { startControlPlane } from '../../testing/control-plane';
import { bearer, createTenant } from '../../testing/records';
import { DrmSystemTester } from './drm-system-tester';

test('sixteen tests run at the same time; one more is refused with Retry-After, and runs once they have ended', async () => {
  const controlPlane = await startControlPlane();
  const { key, development } = await createTenant(controlPlane);
  const backend = { type: 'http', url: 'https://licenses.example.com/', responseFormat: 'raw' };
  await controlPlane.api
    .put(`/api/v1/management/environments/${development}/drm-systems/widevine`)
    .set(bearer(key))
    .send({ enabled: true, backend })
    .expect(200);

  let answer: (answer: BackendAnswer) => void = () => undefined;
  const answered = new Promise<BackendAnswer>((resolve) => {
    answer = resolve;
  });
  const tester = new DrmSystemTester({
    database: controlPlane.prisma,
    secrets: new Secrets([]),
    transport: { send: () => answered },
    now: () => controlPlane.clock.now,
    elapsed: () => 0,
    randomUuid: () => '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  });
  const underWay = Array.from({ length: 16 }, () => tester.test(development, 'widevine', {}));
  await expect(tester.test(development, 'widevine', {})).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'Retry-After': '5' },
  });
  answer({ status: 400, headers: {}, body: Buffer.alloc(0) });
  const outcomes = (await Promise.all(underWay)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(Array(16).fill('refused'));
  expect((await tester.test(development, 'widevine', {})).outcome).toBe('refused');
});
