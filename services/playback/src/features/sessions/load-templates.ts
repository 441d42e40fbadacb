import type { EnvironmentDocument, LicenseProfileDocument, PlaybackSchemas } from '@multi-drm/contracts';
import type { Catalog } from '../../catalog/catalog';
import { findBuiltInTemplate } from '../../policy/built-in-templates';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];

/**
 * Reads the license profiles that a request can name, its own template and the environment's default, and resolves to
 * the lookup of templates by name. Names of built-in templates are reserved.
 */
export async function loadTemplates(
  catalog: Catalog,
  { licensePolicyTemplate }: Pick<PlaybackSchemas['CreatePlaybackSessionRequest'], 'licensePolicyTemplate'>,
  { projectId, settings }: EnvironmentDocument,
): Promise<(name: string) => LicensePolicy | undefined> {
  const names = [licensePolicyTemplate, settings.defaultLicensePolicyTemplate].filter(
    (name): name is string => typeof name === 'string' && findBuiltInTemplate(name) === undefined,
  );
  const profiles = await Promise.all(names.map((name) => catalog.licenseProfile(projectId, name)));
  return (name) => {
    const profile = profiles.find((candidate) => candidate?.name === name);
    return findBuiltInTemplate(name) ?? (profile ? policyOf(profile) : undefined);
  };
}

/** A profile's policy with its rights' limits. Platforms, windows and eviction are not decided here. */
function policyOf({ maximumHeight, tracks, rights }: LicenseProfileDocument): LicensePolicy {
  const { maximumConcurrentStreams, licenseDurationSeconds, playbackDurationSeconds } = rights ?? {};
  return {
    maximumHeight,
    tracks,
    ...(maximumConcurrentStreams == null ? {} : { maximumConcurrentStreams }),
    ...(licenseDurationSeconds == null ? {} : { licenseDurationSeconds }),
    ...(playbackDurationSeconds == null ? {} : { playbackDurationSeconds }),
  };
}
