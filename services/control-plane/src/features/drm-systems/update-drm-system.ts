import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { DrmSystemService } from './drm-system-service';

export const updateDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'updateDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async (input) => {
      const { params, body, request } = input;
      const updated = await drmSystems.setEnabled(
        params.environmentId,
        params.drmSystem,
        request.get('If-Match'),
        body.enabled,
        changeOf(input),
      );
      return { status: 200, body: updated.drmSystem, headers: { ETag: updated.etag } };
    },
  });
