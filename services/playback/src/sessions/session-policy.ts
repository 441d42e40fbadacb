import type { PlaybackSchemas } from '@multi-drm/contracts';

type SessionPolicy = PlaybackSchemas['SessionPolicy'];

/** The part of a resolved or signed policy that responses show. */
interface ShownPolicy extends Pick<SessionPolicy, 'maximumHeight' | 'template' | 'maximumConcurrentStreams'> {
  licenseDurationSeconds?: number | undefined;
  playbackDurationSeconds?: number | undefined;
  /** The end of availability, exclusive, RFC 3339. */
  availableUntil?: string | null | undefined;
}

/** The policy in the responses to a create and an evaluation; limits that are not set are absent. */
export function sessionPolicy(
  policy: ShownPolicy,
  allowedTrackTypes: SessionPolicy['allowedTrackTypes'],
): SessionPolicy {
  const { maximumHeight, template, maximumConcurrentStreams } = policy;
  const { licenseDurationSeconds, playbackDurationSeconds, availableUntil } = policy;
  return {
    maximumHeight,
    allowedTrackTypes,
    template,
    maximumConcurrentStreams,
    ...(licenseDurationSeconds === undefined ? {} : { licenseDurationSeconds }),
    ...(playbackDurationSeconds === undefined ? {} : { playbackDurationSeconds }),
    ...(availableUntil == null ? {} : { availableUntil }),
  };
}
