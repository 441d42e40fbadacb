import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { DrmSystemService } from './drm-system-service';

export const configureDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'configureDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async (input) =>
      drmSystems.configure(input.params.environmentId, input.params.drmSystem, input.body, conditionalChangeOf(input)),
  });
