import { type ControlPlaneSchemas, trackTypes } from '@multi-drm/contracts';
import { licenseRefusal } from '@multi-drm/license-backends';
import {
  type LicenseRefusal,
  missingAudio,
  noSessionsForDocuments,
  playableTracks,
  rulesByTrackType,
  type TrackTypeHeights,
} from '@multi-drm/policy';
import type { LicensedContent, LicensePlan, ProfilePolicy } from '../../stores/license-plan';

type LicenseWarning = ControlPlaneSchemas['LicenseWarning'];

/** A policy with the name by which requests select it. */
export type NamedPolicy = Pick<ProfilePolicy, 'name' | 'maximumHeight' | 'tracks'>;

/** An enabled DRM system and the type of its license backend. */
export type LicensedSystem = LicensePlan['systems'][number];

/** The fields of content that are checked. */
export interface JudgedContent extends LicensedContent {
  manifests: Pick<ControlPlaneSchemas['Manifest'], 'type' | 'url' | 'drmSystems'>[];
}

/** Sample content with a stored key for each video quality: any problem with a policy for it is the policy's own. */
const anyVideo: Pick<JudgedContent, 'kind' | 'keys'> = {
  kind: 'vod',
  keys: trackTypes.map((trackType, index) => ({
    keyId: `00000000-0000-4000-8000-00000000000${index}`,
    trackTypes: [trackType],
    key: 'kept',
  })),
};

/**
 * Warnings about a DRM system with its current settings: policies first, then published content. `published`: pages of
 * content with a manifest for the DRM system; other requests are served between pages.
 */
export async function configurationWarnings(
  system: LicensedSystem,
  { policies, usual, heights }: { policies: NamedPolicy[]; usual: NamedPolicy; heights: TrackTypeHeights },
  published: AsyncIterable<LicensedContent[]>,
): Promise<LicenseWarning[]> {
  const [policyRefusals, contentRefusals] = [new RefusalsByDetail(), new RefusalsByDetail()];
  for (const policy of policies) policyRefusals.add(policyRefusal(system, policy, anyVideo, heights), policy.name);
  const usualRefusal = policyRefusal(system, usual, anyVideo, heights);
  for await (const page of published) {
    for (const content of page) {
      const refusal = policyRefusal(system, usual, content, heights);
      if (refusal?.detail !== usualRefusal?.detail) contentRefusals.add(refusal, content.contentId);
    }
  }
  return [
    ...policyRefusals.all().map(({ refusal, names }) => warning(system, refusal, `Under ${listed(names)}`)),
    ...contentRefusals
      .all()
      .map(({ refusal, names }) => warning(system, refusal, `For the published content ${listed(names)}`)),
  ];
}

/**
 * Warnings about content in its published form. `policies`: those that sessions usually select, of which one without a
 * problem is enough; `ceiling`: the content's own, which limits every session.
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
  if (content.manifests.length === 0) return [noManifest];
  const usable = systems.filter((system) => isMeantFor(content, system));
  if (usable.length === 0) return [noSystem(content)];
  const unplayed = content.manifests.filter(({ drmSystems }) =>
    usable.every(({ drmSystem }) => !drmSystems.includes(drmSystem)),
  );
  const systemWarnings = usable.flatMap((system) => {
    const ceilingRefusal = ceiling === null ? null : policyRefusal(system, ceiling, content, heights);
    if (ceiling !== null && ceilingRefusal !== null) return [warning(system, ceilingRefusal, `Under ${ceiling.name}`)];
    const refusals = policies.map((policy) => policyRefusal(system, policy, content, heights));
    const [first] = refusals;
    if (first === undefined || first === null || refusals.includes(null)) return [];
    return [warning(system, first, `Under ${listed(policies.map(({ name }) => name))}`)];
  });
  return [...unplayed.map(noSystemOf), ...systemWarnings];
}

const noSession: LicenseWarning = {
  code: 'content_type_mismatch',
  drmSystem: null,
  detail: noSessionsForDocuments,
};

const noManifest: LicenseWarning = {
  code: 'manifest_not_available',
  drmSystem: null,
  detail: 'No session can be created without a manifest.',
};

function noSystem({ manifests }: JudgedContent): LicenseWarning {
  const names = [...new Set(manifests.flatMap(({ drmSystems }) => drmSystems))];
  const detail = `No session can be created: the environment has enabled no DRM system of the manifests (${names.join(', ')}).`;
  return { code: 'drm_system_not_supported', drmSystem: null, detail };
}

/** The warning about published content with manifests for a disabled DRM system that no enabled one plays; none if there is none. */
export function unplayedWarnings(drmSystem: LicensedSystem['drmSystem'], contentIds: string[]): LicenseWarning[] {
  if (contentIds.length === 0) return [];
  const detail = `The published content ${listed(contentIds)} has manifests for ${drmSystem} that no session plays: the environment has enabled no DRM system of them.`;
  return [{ code: 'drm_system_not_supported', drmSystem, detail }];
}

/** The warning about one manifest of content that others can play. */
function noSystemOf({ type, url, drmSystems }: JudgedContent['manifests'][number]): LicenseWarning {
  const [drmSystem = null, ...others] = drmSystems;
  return {
    code: 'drm_system_not_supported',
    drmSystem: others.length === 0 ? drmSystem : null,
    detail: `No session plays the ${type} manifest ${url}: the environment has enabled no DRM system of it (${drmSystems.join(', ')}).`,
  };
}

function warning({ drmSystem }: LicensedSystem, { code, detail }: LicenseRefusal, where: string): LicenseWarning {
  return { code, drmSystem, detail: `${where}, no session can be created for ${drmSystem}. ${detail}` };
}

const isMeantFor = ({ manifests }: JudgedContent, { drmSystem }: LicensedSystem): boolean =>
  manifests.some(({ drmSystems }) => drmSystems.includes(drmSystem));

/** The same decision as in playback. A policy without rules for the DRM system is not meant for it. */
function policyRefusal(
  { drmSystem, backend }: LicensedSystem,
  policy: NamedPolicy,
  { kind, keys }: Pick<JudgedContent, 'kind' | 'keys'>,
  heights: TrackTypeHeights,
): LicenseRefusal | null {
  const withRules = rulesByTrackType(policy.tracks).filter((track) => track[drmSystem] !== undefined);
  if (withRules.length === 0) return null;
  const audioOnly = kind === 'audio';
  const tracks = playableTracks(withRules, { audioOnly, maximumHeight: policy.maximumHeight, heights });
  const error = missingAudio(tracks, audioOnly);
  if (error !== null) return { code: 'license_policy_invalid', detail: `The policy ${error.reason}.` };
  return licenseRefusal(backend, {
    drmSystem,
    tracks: tracks.map(({ trackType, ...rules }) => ({ trackTypes: [trackType], ...rules })),
    keys: keys.map(({ keyId, trackTypes, key }) => ({ keyId, trackTypes, isKept: key !== undefined })),
  });
}

/** Problems with the names of everything affected, in order of first occurrence. */
class RefusalsByDetail {
  private readonly found = new Map<string, { refusal: LicenseRefusal; names: string[] }>();

  add(refusal: LicenseRefusal | null, name: string): void {
    if (refusal === null) return;
    const known = this.found.get(refusal.detail) ?? { refusal, names: [] };
    known.names.push(name);
    this.found.set(refusal.detail, known);
  }

  all(): { refusal: LicenseRefusal; names: string[] }[] {
    return [...this.found.values()];
  }
}

const maximumNames = 10;

function listed(names: string[]): string {
  const more = names.length - maximumNames;
  return more > 0 ? `${names.slice(0, maximumNames).join(', ')} and ${more} more` : names.join(', ');
}
