import { type EnvironmentDocument, type PlaybackSchemas, Problem } from '@multi-drm/contracts';
import { findBuiltInTemplate } from './built-in-templates';
import { beginsWithin, type TrackType, trackTypes } from './track-heights';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];
type TrackPolicy = PlaybackSchemas['TrackPolicy'];
type DrmSystem = PlaybackSchemas['DrmSystem'];

/** What a request says of its policy. Client hints are no part of it. */
export type PolicySelection = Pick<
  PlaybackSchemas['CreatePlaybackSessionRequest'],
  'drmSystem' | 'licensePolicyTemplate' | 'licensePolicy' | 'useEnvironmentDefaults'
>;

/** Security level and output protection of one track type, for each DRM system that the policy has rules for. */
export type TrackRules = { trackType: TrackType } & Omit<TrackPolicy, 'trackTypes'>;

/** The one policy of a session. */
export interface ResolvedPolicy {
  /** The template that was selected; null for a custom policy. */
  template: string | null;
  /** Lines, 1 to 4320. */
  maximumHeight: number;
  /** In the order AUDIO, SD, HD, UHD1, UHD2. */
  allowedTrackTypes: TrackType[];
  /** One entry for each allowed track type, in the same order; each has rules for the session's DRM system. */
  tracks: TrackRules[];
  /** Streams at once for a viewer; null: no limit. */
  maximumConcurrentStreams: number | null;
  atStreamLimit: 'reject';
  licenseDurationSeconds?: number;
  playbackDurationSeconds?: number;
}

/** A policy that was selected, with its template's name; null for a custom policy. */
interface SelectedPolicy {
  template: string | null;
  policy: LicensePolicy;
}

/**
 * Resolves what a request selects, over the environment's default where `useEnvironmentDefaults` is true, to one
 * policy. What is selected replaces the default member by member at the top level: `tracks` as a whole, so that a
 * track type never mixes rules of two policies. The stream limit is the policy's, else the environment's.
 *
 * `findTemplate` is the one place where template names are looked up.
 *
 * Throws a Problem: `policy_selection_conflict`, `license_policy_template_not_found`, `license_policy_required` or
 * `license_policy_invalid`, which names the field.
 */
export function resolvePolicy(
  selection: PolicySelection,
  environment: EnvironmentDocument,
  findTemplate: (name: string) => LicensePolicy | undefined = findBuiltInTemplate,
): ResolvedPolicy {
  const { licensePolicyTemplate, licensePolicy, useEnvironmentDefaults = false } = selection;
  if (licensePolicyTemplate !== undefined && licensePolicy !== undefined) {
    throw new Problem('policy_selection_conflict', 'Send licensePolicyTemplate or licensePolicy, not both.');
  }

  const named = (template: string, origin: string): SelectedPolicy => {
    const policy = findTemplate(template);
    if (policy !== undefined) return { template, policy };
    throw new Problem('license_policy_template_not_found', `${origin} names "${template}", which does not exist.`);
  };
  const defaultTemplate = useEnvironmentDefaults ? environment.settings.defaultLicensePolicyTemplate : null;
  const beneath = defaultTemplate === null ? null : named(defaultTemplate, "The environment's default policy");
  let selected = beneath;
  if (licensePolicy !== undefined) selected = { template: null, policy: licensePolicy };
  if (licensePolicyTemplate !== undefined) selected = named(licensePolicyTemplate, 'licensePolicyTemplate');
  if (selected === null) {
    throw new Problem(
      'license_policy_required',
      useEnvironmentDefaults
        ? 'The environment has no default policy: send licensePolicyTemplate or licensePolicy.'
        : 'Send licensePolicyTemplate, licensePolicy or useEnvironmentDefaults.',
    );
  }

  const { tracks, maximumHeight, ...rest } = { ...beneath?.policy, ...selected.policy };
  const fault = faultsOf(selected.template);
  if (maximumHeight === undefined) throw fault('maximumHeight', 'is missing');
  if (tracks === undefined) throw fault('tracks', 'is missing');
  const allowed = allowedTracks(tracks, maximumHeight, selection.drmSystem, fault);
  return {
    ...rest,
    template: selected.template,
    maximumHeight,
    allowedTrackTypes: allowed.map(({ trackType }) => trackType),
    tracks: allowed,
    maximumConcurrentStreams: rest.maximumConcurrentStreams ?? environment.settings.maximumConcurrentStreams,
    atStreamLimit: rest.atStreamLimit ?? 'reject',
  };
}

type Fault = (field: string, fault: string) => Problem;

function faultsOf(template: string | null): Fault {
  return (field, fault) => {
    const where = template === null ? `licensePolicy.${field}` : `${field} of the policy "${template}"`;
    return new Problem('license_policy_invalid', `${where} ${fault}.`);
  };
}

/** The rules of each track type within the height, in order. Throws where no license could follow them. */
function allowedTracks(tracks: TrackPolicy[], maximumHeight: number, drmSystem: DrmSystem, fault: Fault): TrackRules[] {
  const rules = new Map<TrackType, TrackRules>();
  for (const [index, track] of tracks.entries()) {
    const { trackTypes: named, ...drmRules } = track;
    for (const trackType of named) {
      if (rules.has(trackType)) throw fault(`tracks[${index}].trackTypes`, `names ${trackType} a second time`);
      rules.set(trackType, { trackType, ...drmRules });
    }
  }

  const inOrder = trackTypes.flatMap((trackType) => rules.get(trackType) ?? []);
  const allowed = inOrder.filter(({ trackType }) => beginsWithin(trackType, maximumHeight));
  const isVideo = ({ trackType }: TrackRules) => trackType !== 'AUDIO';
  if (inOrder.some(isVideo) && !allowed.some(isVideo)) {
    throw fault('maximumHeight', `(${maximumHeight}) is below every video track type of the policy`);
  }
  // Without rules a license would be the weakest there is, so silence is no permission.
  const unruled = allowed.find((track) => track[drmSystem] === undefined);
  if (unruled !== undefined) throw fault('tracks', `has no ${drmSystem} rules for ${unruled.trackType}`);
  return allowed;
}
