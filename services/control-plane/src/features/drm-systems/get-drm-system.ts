import { endpoint } from '../../access/endpoint';
import type { DrmSystemService } from './drm-system-service';

export const getDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'getDrmSystem',
    access: { permission: 'drm-systems:read', scope: 'environment' },
    handle: async ({ params }) => drmSystems.read(params.environmentId, params.drmSystem),
  });
