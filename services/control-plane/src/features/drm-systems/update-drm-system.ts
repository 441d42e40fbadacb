import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { DrmSystemService } from './drm-system-service';

export const updateDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'updateDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async (input) =>
      drmSystems.setEnabled(input.params.environmentId, input.params.drmSystem, input.body.enabled, updateOf(input)),
  });
