import { beginsWithin, type ControlPlaneSchemas, type TrackTypeHeights } from '@multi-drm/contracts';
import { type LicenseFault, licenseFault } from '@multi-drm/license-backends';

type LicenseWarning = ControlPlaneSchemas['LicenseWarning'];
type DrmSystem = ControlPlaneSchemas['DrmSystem'];

/** A policy by the name that requests select it by. */
export interface NamedPolicy {
  name: string;
  /** Lines. */
  maximumHeight: number;
  tracks: ControlPlaneSchemas['TrackPolicy'][];
}

/** A DRM system that is switched on, and the type of its license backend. */
export interface LicensedSystem {
  drmSystem: DrmSystem;
  backend: string;
}

/** What is looked at of content. */
export interface JudgedContent {
  contentId: string;
  kind: ControlPlaneSchemas['ContentKind'];
  manifests: Pick<ControlPlaneSchemas['Manifest'], 'drmSystems'>[];
  /** `key`: there where the content key itself is kept. */
  keys: (ControlPlaneSchemas['ContentKey'] & { key?: string })[];
}

/** What is looked at of content that is meant for the DRM system in question. */
export type PublishedContent = Omit<JudgedContent, 'manifests'>;

/** Video with a key of its own, which is kept, for each quality: what is wrong with a policy under it is the policy's. */
const anyVideo: Pick<JudgedContent, 'kind' | 'keys'> = {
  kind: 'vod',
  keys: (['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2'] as const).map((trackType, index) => ({
    keyId: `00000000-0000-4000-8000-00000000000${index}`,
    trackTypes: [trackType],
    key: 'kept',
  })),
};

/**
 * What no license can be had for with a DRM system as it is set up: policies first, then published content. `published`:
 * pages of content that is meant for the DRM system; other requests have their turn between two.
 */
export async function configurationWarnings(
  system: LicensedSystem,
  { policies, usual, heights }: { policies: NamedPolicy[]; usual: NamedPolicy; heights: TrackTypeHeights },
  published: AsyncIterable<PublishedContent[]>,
): Promise<LicenseWarning[]> {
  const [ofPolicies, ofContent] = [new FaultsByDetail(), new FaultsByDetail()];
  for (const policy of policies) ofPolicies.add(policyFault(system, policy, anyVideo, heights), policy.name);
  const usualFault = policyFault(system, usual, anyVideo, heights);
  for await (const page of published) {
    for (const content of page) {
      const fault = policyFault(system, usual, content, heights);
      if (fault?.detail !== usualFault?.detail) ofContent.add(fault, content.contentId);
    }
  }
  return [
    ...ofPolicies.all().map(({ fault, names }) => warning(system, fault, `Under ${listed(names)}`)),
    ...ofContent.all().map(({ fault, names }) => warning(system, fault, `For the published content ${listed(names)}`)),
  ];
}

/**
 * What no license can be had for with content as it is published. `policies`: those that sessions usually name, of which one
 * without a fault is enough; `ceiling`: the content's own, which every session keeps to.
 */
export function publicationWarnings(
  content: JudgedContent,
  systems: LicensedSystem[],
  {
    policies,
    ceiling,
    heights,
  }: { policies: readonly NamedPolicy[]; ceiling: NamedPolicy | null; heights: TrackTypeHeights },
): LicenseWarning[] {
  if (content.kind === 'document') return [noSession];
  const ofManifests = content.manifests.length === 0 ? [noManifest] : [];
  const ofSystems = systems
    .filter((system) => isMeantFor(content, system))
    .flatMap((system) => {
      const ofCeiling = ceiling === null ? null : policyFault(system, ceiling, content, heights);
      if (ceiling !== null && ofCeiling !== null) return [warning(system, ofCeiling, `Under ${ceiling.name}`)];
      const faults = policies.map((policy) => policyFault(system, policy, content, heights));
      const [first] = faults;
      if (first === undefined || first === null || faults.includes(null)) return [];
      return [warning(system, first, `Under ${listed(policies.map(({ name }) => name))}`)];
    });
  return [...ofManifests, ...ofSystems];
}

const noSession: LicenseWarning = {
  code: 'content_type_mismatch',
  drmSystem: null,
  detail: 'A document has no playback session in Contract v1: none is created for it.',
};

const noManifest: LicenseWarning = {
  code: 'manifest_not_available',
  drmSystem: null,
  detail: 'Without a manifest no session is created.',
};

function warning({ drmSystem }: LicensedSystem, { code, detail }: LicenseFault, where: string): LicenseWarning {
  return { code, drmSystem, detail: `${where} no session for ${drmSystem} is created. ${detail}` };
}

const isMeantFor = ({ manifests }: JudgedContent, { drmSystem }: LicensedSystem): boolean =>
  manifests.some(({ drmSystems }) => drmSystems.includes(drmSystem));

/** As playback decides. A policy that has no rules for the DRM system is not meant for it. */
function policyFault(
  { drmSystem, backend }: LicensedSystem,
  policy: NamedPolicy,
  { kind, keys }: Pick<JudgedContent, 'kind' | 'keys'>,
  heights: TrackTypeHeights,
): LicenseFault | null {
  const withRules = policy.tracks.filter((track) => track[drmSystem] !== undefined);
  const tracks = withRules.flatMap(({ trackTypes, ...rules }) => {
    const allowed = trackTypes.filter((trackType) =>
      kind === 'audio' ? trackType === 'AUDIO' : beginsWithin(trackType, policy.maximumHeight, heights),
    );
    return allowed.length === 0 ? [] : [{ trackTypes: allowed, ...rules }];
  });
  if (withRules.length === 0) return null;
  if (kind === 'audio' && tracks.length === 0) {
    return { code: 'license_policy_invalid', detail: 'The policy has no rules for AUDIO, all that the content has.' };
  }
  return licenseFault(backend, {
    drmSystem,
    tracks,
    keys: keys.map(({ keyId, trackTypes, key }) => ({ keyId, trackTypes, isKept: key !== undefined })),
  });
}

/** Faults, each with the names of all that have it, in the order of the first of each. */
class FaultsByDetail {
  private readonly found = new Map<string, { fault: LicenseFault; names: string[] }>();

  add(fault: LicenseFault | null, name: string): void {
    if (fault === null) return;
    const known = this.found.get(fault.detail) ?? { fault, names: [] };
    known.names.push(name);
    this.found.set(fault.detail, known);
  }

  all(): { fault: LicenseFault; names: string[] }[] {
    return [...this.found.values()];
  }
}

const mostNames = 10;

function listed(names: string[]): string {
  const more = names.length - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}
