import type { PlaybackSchemas } from '@multi-drm/contracts';

type SessionPolicy = PlaybackSchemas['SessionPolicy'];

/** A resolved or a signed policy, as far as it is shown. */
interface ShownPolicy extends Pick<SessionPolicy, 'maximumHeight' | 'template' | 'maximumConcurrentStreams'> {
  licenseDurationSeconds?: number | undefined;
  playbackDurationSeconds?: number | undefined;
  /** The first moment that is too late, RFC 3339. */
  availableUntil?: string | null | undefined;
}

/** What the answers to a create and an evaluation show of a policy; what it does not limit is absent. */
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
