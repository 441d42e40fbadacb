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

/** Video with a key of its own, which is kept, for each quality: what is wrong with a policy under it is the policy's. */
const anyVideo: Pick<JudgedContent, 'kind' | 'keys'> = {
  kind: 'vod',
  keys: (['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2'] as const).map((trackType, index) => ({
    keyId: `00000000-0000-4000-8000-00000000000${index}`,
    trackTypes: [trackType],
    key: 'kept',
  })),
};

/** What no license can be had for with a DRM system as it is set up: policies first, then published content. */
export function configurationWarnings(
  system: LicensedSystem,
  { policies, usual, heights }: { policies: NamedPolicy[]; usual: NamedPolicy; heights: TrackTypeHeights },
  published: JudgedContent[],
): LicenseWarning[] {
  const ofPolicies = grouped(policies, (policy) => policyFault(system, policy, anyVideo, heights));
  const usualFault = policyFault(system, usual, anyVideo, heights);
  const concerned = published.filter((content) => isMeantFor(content, system));
  const ofContent = grouped(concerned, (content) => {
    const fault = policyFault(system, usual, content, heights);
    return fault?.detail === usualFault?.detail ? null : fault;
  });
  return [
    ...ofPolicies.map(([fault, found]) => warning(system, fault, `Under ${listed(found.map(({ name }) => name))}`)),
    ...ofContent.map(([fault, found]) =>
      warning(system, fault, `For the published content ${listed(found.map(({ contentId }) => contentId))}`),
    ),
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

/** Those with the same fault together, in the order of the first of each. */
function grouped<Item>(items: Item[], faultOf: (item: Item) => LicenseFault | null): [LicenseFault, Item[]][] {
  const groups = new Map<string, [LicenseFault, Item[]]>();
  for (const item of items) {
    const fault = faultOf(item);
    if (fault === null) continue;
    const group = groups.get(fault.detail) ?? [fault, []];
    group[1].push(item);
    groups.set(fault.detail, group);
  }
  return [...groups.values()];
}

const mostNames = 10;

function listed(names: string[]): string {
  const more = names.length - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}
