import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { DrmSystemService } from './drm-system-service';

export const configureDrmSystem = (drmSystems: DrmSystemService) =>
  endpoint({
    operationId: 'configureDrmSystem',
    access: { permission: 'drm-systems:write', scope: 'environment' },
    handle: async (input) => {
      const { params, body } = input;
      const configured = await drmSystems.configure(
        params.environmentId,
        params.drmSystem,
        body,
        conditionalChangeOf(input),
      );
      return { status: 200, body: configured.drmSystem, headers: { ETag: configured.etag } };
    },
  });
