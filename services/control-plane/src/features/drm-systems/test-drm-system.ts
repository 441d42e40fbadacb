import { endpoint } from '../../access/endpoint';
import type { DrmSystemTester } from './drm-system-tester';

export const testDrmSystem = (tester: DrmSystemTester) =>
  endpoint({
    operationId: 'testDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async ({ params, body }) => ({
      status: 200,
      body: await tester.test(params.environmentId, params.drmSystem, body ?? {}),
    }),
  });
