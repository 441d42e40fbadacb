import { randomUUID } from 'node:crypto';
import type { LicenseTransport } from '@multi-drm/license-backends';
import { type AddressGuard, type Health, Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from './access/keys';
import type { ActiveSessionCounter } from './active-sessions/active-session-counter';
import { ApiClientService } from './features/api-clients/api-client-service';
import { ApiClientStore } from './features/api-clients/api-client-store';
import { createApiClient } from './features/api-clients/create-api-client';
import { getApiClient } from './features/api-clients/get-api-client';
import { listApiClients } from './features/api-clients/list-api-clients';
import { revokeApiClient } from './features/api-clients/revoke-api-client';
import { rotateApiClient } from './features/api-clients/rotate-api-client';
import { updateApiClient } from './features/api-clients/update-api-client';
import { AuditEventService } from './features/audit-events/audit-event-service';
import { AuditEventStore } from './features/audit-events/audit-event-store';
import { listAuditEvents } from './features/audit-events/list-audit-events';
import { archiveContentAsset } from './features/content/archive-content-asset';
import { ContentService } from './features/content/content-service';
import { ContentStore } from './features/content/content-store';
import { createContentAsset } from './features/content/create-content-asset';
import { getContentAsset } from './features/content/get-content-asset';
import { listContentAssets } from './features/content/list-content-assets';
import { publishContentAsset } from './features/content/publish-content-asset';
import { restoreContentAsset } from './features/content/restore-content-asset';
import { unpublishContentAsset } from './features/content/unpublish-content-asset';
import { updateContentAsset } from './features/content/update-content-asset';
import { configureDrmSystem } from './features/drm-systems/configure-drm-system';
import { DrmSystemService } from './features/drm-systems/drm-system-service';
import { DrmSystemStore } from './features/drm-systems/drm-system-store';
import { DrmSystemTester } from './features/drm-systems/drm-system-tester';
import { getDrmSystem } from './features/drm-systems/get-drm-system';
import { testDrmSystem } from './features/drm-systems/test-drm-system';
import { EndUserService } from './features/end-users/end-user-service';
import { EndUserStore } from './features/end-users/end-user-store';
import { eraseEndUser } from './features/end-users/erase-end-user';
import { getEndUser } from './features/end-users/get-end-user';
import { listEndUsers } from './features/end-users/list-end-users';
import { synchronizeEndUser } from './features/end-users/synchronize-end-user';
import { updateEndUser } from './features/end-users/update-end-user';
import { archiveEnvironment } from './features/environments/archive-environment';
import { createEnvironment } from './features/environments/create-environment';
import { EnvironmentArchivingStore } from './features/environments/environment-archiving-store';
import { EnvironmentService } from './features/environments/environment-service';
import { EnvironmentStore } from './features/environments/environment-store';
import { getEnvironment } from './features/environments/get-environment';
import { listEnvironments } from './features/environments/list-environments';
import { restoreEnvironment } from './features/environments/restore-environment';
import { updateEnvironment } from './features/environments/update-environment';
import { getLiveness } from './features/health/get-liveness';
import { getReadiness } from './features/health/get-readiness';
import { archiveLicenseProfile } from './features/license-profiles/archive-license-profile';
import { createLicenseProfile } from './features/license-profiles/create-license-profile';
import { getLicenseProfile } from './features/license-profiles/get-license-profile';
import { LicenseProfileService } from './features/license-profiles/license-profile-service';
import { LicenseProfileStore } from './features/license-profiles/license-profile-store';
import { listLicenseProfiles } from './features/license-profiles/list-license-profiles';
import { restoreLicenseProfile } from './features/license-profiles/restore-license-profile';
import { updateLicenseProfile } from './features/license-profiles/update-license-profile';
import { LicenseWarningService } from './features/license-warnings/license-warning-service';
import { LicenseWarningStore } from './features/license-warnings/license-warning-store';
import { createManagementKey } from './features/management-keys/create-management-key';
import { listManagementKeys } from './features/management-keys/list-management-keys';
import { ManagementKeyService } from './features/management-keys/management-key-service';
import { ManagementKeyStore } from './features/management-keys/management-key-store';
import { revokeManagementKey } from './features/management-keys/revoke-management-key';
import { rotateManagementKey } from './features/management-keys/rotate-management-key';
import { archiveOrganization } from './features/organizations/archive-organization';
import { getOrganization } from './features/organizations/get-organization';
import { listOrganizations } from './features/organizations/list-organizations';
import { OrganizationService } from './features/organizations/organization-service';
import { OrganizationStore } from './features/organizations/organization-store';
import { restoreOrganization } from './features/organizations/restore-organization';
import { updateOrganization } from './features/organizations/update-organization';
import { listPlans } from './features/plans/list-plans';
import { getPlatformCapabilities } from './features/platform/get-platform-capabilities';
import { archiveProject } from './features/projects/archive-project';
import { createProject } from './features/projects/create-project';
import { getProject } from './features/projects/get-project';
import { listProjects } from './features/projects/list-projects';
import { ProjectArchivingStore } from './features/projects/project-archiving-store';
import { ProjectService } from './features/projects/project-service';
import { ProjectStore } from './features/projects/project-store';
import { restoreProject } from './features/projects/restore-project';
import { updateProject } from './features/projects/update-project';
import { registerCompany } from './features/registrations/register-company';
import type { RegistrationLimiter } from './features/registrations/registration-limiter';
import { RegistrationService } from './features/registrations/registration-service';
import { RegistrationStore } from './features/registrations/registration-store';
import { archiveRights } from './features/rights/archive-rights';
import { createRights } from './features/rights/create-rights';
import { getRights } from './features/rights/get-rights';
import { listRights } from './features/rights/list-rights';
import { restoreRights } from './features/rights/restore-rights';
import { RightsService } from './features/rights/rights-service';
import { RightsStore } from './features/rights/rights-store';
import { updateRights } from './features/rights/update-rights';
import type { PrismaClient } from './generated/prisma/client';
import type { Settings } from './settings';

export interface EndpointsOptions {
  settings: Settings;
  prisma: PrismaClient;
  /** Notified after each change, so that playback learns of it at once. */
  publisher: { wake(): void };
  registrationLimiter: RegistrationLimiter;
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
  /** Decides which addresses license servers may have. */
  guard: AddressGuard;
  /** Sends test requests to license servers. */
  licenseTransport: LicenseTransport;
  health: Health;
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Every operation of the OpenAPI document, with its service and store. */
export function allEndpoints(options: EndpointsOptions) {
  const {
    settings,
    prisma,
    publisher,
    activeSessions,
    registrationLimiter,
    guard,
    licenseTransport,
    health,
    now,
    randomBytes,
  } = options;
  const agreement = { version: settings.SERVICE_AGREEMENT_VERSION, url: settings.SERVICE_AGREEMENT_URL };
  const registrations = new RegistrationService({
    store: new RegistrationStore(prisma),
    state: settings.REGISTRATION,
    limiter: registrationLimiter,
    agreement,
    publisher,
    now,
    randomBytes,
  });
  const secrets = new Secrets(settings.SECRET_KEYS, randomBytes);
  const organizations = new OrganizationService({ store: new OrganizationStore(prisma), publisher, now });
  const projects = new ProjectService({
    store: new ProjectStore(prisma),
    archiving: new ProjectArchivingStore(prisma, activeSessions),
    publisher,
    now,
  });
  const environments = new EnvironmentService({
    store: new EnvironmentStore(prisma),
    archiving: new EnvironmentArchivingStore(prisma, activeSessions),
    publisher,
    now,
  });
  const warnings = new LicenseWarningService({ store: new LicenseWarningStore(prisma) });
  const drmSystemStore = new DrmSystemStore(prisma);
  const drmSystems = new DrmSystemService({
    store: drmSystemStore,
    secrets,
    guard,
    warnings,
    publisher,
    now,
  });
  const drmSystemTester = new DrmSystemTester({
    store: drmSystemStore,
    secrets,
    transport: licenseTransport,
    now,
    elapsed: () => performance.now(),
    randomUuid: randomUUID,
  });
  const content = new ContentService({ store: new ContentStore(prisma, secrets), warnings, publisher, now });
  const rights = new RightsService({ store: new RightsStore(prisma), publisher, now });
  const licenseProfiles = new LicenseProfileService({ store: new LicenseProfileStore(prisma), publisher, now });
  const apiClients = new ApiClientService({ store: new ApiClientStore(prisma), publisher, now, randomBytes });
  const endUsers = new EndUserService({ store: new EndUserStore(prisma), publisher, now });
  const managementKeys = new ManagementKeyService({ store: new ManagementKeyStore(prisma), now, randomBytes });
  const auditEvents = new AuditEventService(new AuditEventStore(prisma));
  return [
    getLiveness(health),
    getReadiness(health),
    listPlans(),
    getPlatformCapabilities(agreement),
    registerCompany(registrations),
    listOrganizations(organizations),
    getOrganization(organizations),
    updateOrganization(organizations),
    archiveOrganization(organizations),
    restoreOrganization(organizations),
    listProjects(projects),
    createProject(projects),
    getProject(projects),
    updateProject(projects),
    archiveProject(projects),
    restoreProject(projects),
    listEnvironments(environments),
    createEnvironment(environments),
    getEnvironment(environments),
    updateEnvironment(environments),
    archiveEnvironment(environments),
    restoreEnvironment(environments),
    getDrmSystem(drmSystems),
    configureDrmSystem(drmSystems),
    testDrmSystem(drmSystemTester),
    listContentAssets(content),
    createContentAsset(content),
    getContentAsset(content),
    updateContentAsset(content),
    archiveContentAsset(content),
    publishContentAsset(content),
    unpublishContentAsset(content),
    restoreContentAsset(content),
    listRights(rights),
    createRights(rights),
    getRights(rights),
    updateRights(rights),
    archiveRights(rights),
    restoreRights(rights),
    listLicenseProfiles(licenseProfiles),
    createLicenseProfile(licenseProfiles),
    getLicenseProfile(licenseProfiles),
    updateLicenseProfile(licenseProfiles),
    archiveLicenseProfile(licenseProfiles),
    restoreLicenseProfile(licenseProfiles),
    createApiClient(apiClients),
    listApiClients(apiClients),
    getApiClient(apiClients),
    updateApiClient(apiClients),
    rotateApiClient(apiClients),
    revokeApiClient(apiClients),
    listEndUsers(endUsers),
    synchronizeEndUser(endUsers),
    getEndUser(endUsers),
    updateEndUser(endUsers),
    eraseEndUser(endUsers),
    listManagementKeys(managementKeys),
    createManagementKey(managementKeys),
    rotateManagementKey(managementKeys),
    revokeManagementKey(managementKeys),
    listAuditEvents(auditEvents),
  ];
}
