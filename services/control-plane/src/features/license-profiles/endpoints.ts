import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { LicenseProfileService } from './license-profile-service';

/** The operations on license profiles, with their service. */
export function licenseProfileEndpoints(options: FeatureOptions) {
  const profiles = new LicenseProfileService(options);
  return [
    endpoint({
      operationId: 'listLicenseProfiles',
      access: { permission: 'license-profiles:read', scope: 'project' },
      handle: async ({ params, query }) => {
        const { status = 'active', rightsId } = query;
        const found = await profiles.list(params.projectId, { status, rightsId });
        return { status: 200, body: await filterAndSort(options.database, found, query) };
      },
    }),
    endpoint({
      operationId: 'createLicenseProfile',
      access: { permission: 'license-profiles:write', scope: 'project' },
      handle: async (input) => profiles.create(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getLicenseProfile',
      access: { permission: 'license-profiles:read', scope: 'licenseProfile' },
      handle: async ({ params }) => profiles.read(params.licenseProfileId),
    }),
    endpoint({
      operationId: 'updateLicenseProfile',
      access: { permission: 'license-profiles:write', scope: 'licenseProfile' },
      handle: async (input) => profiles.update(input.params.licenseProfileId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'archiveLicenseProfile',
      access: { permission: 'license-profiles:write', scope: 'licenseProfile' },
      handle: async (input) => {
        await profiles.archive(input.params.licenseProfileId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'restoreLicenseProfile',
      access: { permission: 'license-profiles:write', scope: 'licenseProfile', restores: true },
      handle: async (input) => profiles.restore(input.params.licenseProfileId, conditionalChangeOf(input)),
    }),
  ];
}
