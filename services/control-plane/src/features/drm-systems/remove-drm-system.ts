import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { DrmSystemService } from './drm-system-service';

export const removeDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'removeDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async (input) => {
      const { params } = input;
      await drmSystems.remove(params.environmentId, params.drmSystem, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
