import type { FeatureOptions } from '../feature-options';
import { archiveLicenseProfile } from './archive-license-profile';
import { createLicenseProfile } from './create-license-profile';
import { getLicenseProfile } from './get-license-profile';
import { LicenseProfileService } from './license-profile-service';
import { listLicenseProfiles } from './list-license-profiles';
import { restoreLicenseProfile } from './restore-license-profile';
import { updateLicenseProfile } from './update-license-profile';

/** The operations on license profiles, with their service. */
export function licenseProfileEndpoints(options: FeatureOptions) {
  const profiles = new LicenseProfileService(options);
  return [
    listLicenseProfiles(profiles, options.database),
    createLicenseProfile(profiles),
    getLicenseProfile(profiles),
    updateLicenseProfile(profiles),
    archiveLicenseProfile(profiles),
    restoreLicenseProfile(profiles),
  ];
}
