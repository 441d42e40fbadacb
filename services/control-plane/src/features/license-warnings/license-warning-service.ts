import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { builtInPolicies, type LicensePlan, type LicenseWarningStore } from './license-warning-store';
import { configurationWarnings, type JudgedContent, type NamedPolicy, publicationWarnings } from './license-warnings';

type LicenseWarning = ControlPlaneSchemas['LicenseWarning'];

/** Warns administrators about policies and content for which no license can be issued, before viewers notice. */
export class LicenseWarningService {
  constructor(private readonly options: { store: LicenseWarningStore }) {}

  /** Warnings about a DRM system's current settings; none if it is disabled. */
  async ofConfiguration(environmentId: string, drmSystem: ControlPlaneSchemas['DrmSystem']): Promise<LicenseWarning[]> {
    const { store } = this.options;
    const { projectId, heights, systems, defaultName } = await store.readPlan(environmentId);
    const system = systems.find((candidate) => candidate.drmSystem === drmSystem);
    if (system === undefined) return [];
    const policies = [...builtInPolicies, ...(await store.readProfiles({ projectId }))];
    const usual = policies.find(({ name }) => name === defaultName) ?? policies[0];
    if (usual === undefined) return [];
    const published = store.readPublished(environmentId, drmSystem);
    return configurationWarnings(system, { policies, usual, heights }, published);
  }

  /** Warnings about content in its published form. */
  async ofPublication(
    content: JudgedContent & { environmentId: string; licenseProfileId: string | null },
  ): Promise<LicenseWarning[]> {
    const { store } = this.options;
    const plan = await store.readPlan(content.environmentId);
    const { licenseProfileId } = content;
    const profile = licenseProfileId === null ? [] : await store.readProfiles({ id: licenseProfileId });
    const { heights, systems } = plan;
    const policies = await this.usualPolicies(plan);
    return publicationWarnings(content, systems, { policies, ceiling: profile[0] ?? null, heights });
  }

  /** The environment's default if it has one, or else the built-in templates. */
  private async usualPolicies({ projectId, defaultName }: LicensePlan): Promise<readonly NamedPolicy[]> {
    if (defaultName === null) return builtInPolicies;
    const builtIn = builtInPolicies.filter(({ name }) => name === defaultName);
    return builtIn.length > 0 ? builtIn : this.options.store.readProfiles({ projectId, name: defaultName });
  }
}
