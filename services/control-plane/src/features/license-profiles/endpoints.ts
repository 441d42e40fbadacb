import type { FeatureOptions } from '../feature-options';
import { archiveLicenseProfile } from './archive-license-profile';
import { createLicenseProfile } from './create-license-profile';
import { getLicenseProfile } from './get-license-profile';
import { LicenseProfileService } from './license-profile-service';
import { LicenseProfileStore } from './license-profile-store';
import { listLicenseProfiles } from './list-license-profiles';
import { restoreLicenseProfile } from './restore-license-profile';
import { updateLicenseProfile } from './update-license-profile';

/** The operations on license profiles, with their service and store. */
export function licenseProfileEndpoints({ prisma, publisher, now }: FeatureOptions) {
  const profiles = new LicenseProfileService({ store: new LicenseProfileStore(prisma), publisher, now });
  return [
    listLicenseProfiles(profiles),
    createLicenseProfile(profiles),
    getLicenseProfile(profiles),
    updateLicenseProfile(profiles),
    archiveLicenseProfile(profiles),
    restoreLicenseProfile(profiles),
  ];
}
