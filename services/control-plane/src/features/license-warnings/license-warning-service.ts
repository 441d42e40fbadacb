import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { builtInTemplates } from '@multi-drm/policy';
import type { Database } from '../../database/database';
import {
  type LicensePlan,
  listProfilePolicies,
  listUnplayedContentIds,
  readLicensedContent,
  readLicensePlan,
} from '../../stores/license-plan';
import {
  configurationWarnings,
  type JudgedContent,
  type NamedPolicy,
  publicationWarnings,
  unplayedWarnings,
} from './license-warnings';

type LicenseWarning = ControlPlaneSchemas['LicenseWarning'];

const builtInPolicies: NamedPolicy[] = [...builtInTemplates].map(([name, policy]) => ({ name, ...policy }));

/** Warns administrators about policies and content for which no license can be issued, before viewers notice. */
export class LicenseWarningService {
  constructor(private readonly database: Database) {}

  /** Warnings about a DRM system's current settings; if it is disabled, about content that nothing plays without it. */
  async forDrmSystem(environmentId: string, drmSystem: ControlPlaneSchemas['DrmSystem']): Promise<LicenseWarning[]> {
    const { projectId, heights, systems, defaultName } = await readLicensePlan(this.database, environmentId);
    const system = systems.find((candidate) => candidate.drmSystem === drmSystem);
    if (system === undefined) {
      const enabled = systems.map((each) => each.drmSystem);
      const unplayed = await listUnplayedContentIds(this.database, environmentId, drmSystem, enabled);
      return unplayedWarnings(drmSystem, unplayed);
    }
    const policies = [...builtInPolicies, ...(await listProfilePolicies(this.database, { projectId }))];
    const usual = policies.find(({ name }) => name === defaultName) ?? policies[0];
    if (usual === undefined) return [];
    const published = readLicensedContent(this.database, environmentId, drmSystem);
    return configurationWarnings(system, { policies, usual, heights }, published);
  }

  /** Warnings about content in its published form. */
  async forContent(
    content: JudgedContent & { environmentId: string; licenseProfileId: string | null },
  ): Promise<LicenseWarning[]> {
    const plan = await readLicensePlan(this.database, content.environmentId);
    const { licenseProfileId } = content;
    const profile = licenseProfileId === null ? [] : await listProfilePolicies(this.database, { id: licenseProfileId });
    const { heights, systems } = plan;
    const policies = await this.usualPolicies(plan);
    return publicationWarnings(content, systems, { policies, ceiling: profile[0] ?? null, heights });
  }

  /** The environment's default if it has one, or else the built-in templates. */
  private async usualPolicies({ projectId, defaultName }: LicensePlan): Promise<readonly NamedPolicy[]> {
    if (defaultName === null) return builtInPolicies;
    const builtIn = builtInPolicies.filter(({ name }) => name === defaultName);
    return builtIn.length > 0 ? builtIn : listProfilePolicies(this.database, { projectId, name: defaultName });
  }
}
