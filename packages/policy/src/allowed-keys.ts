import type { ContentDocument, PlaybackSchemas } from '@multi-drm/contracts';

type Key = ContentDocument['keys'][number];

/** The content's keys for at least one track type that the policy allows, in the order of the content. */
export function allowedKeys(keys: Key[], tracks: Pick<PlaybackSchemas['TrackPolicy'], 'trackTypes'>[]): Key[] {
  const allowed = new Set(tracks.flatMap(({ trackTypes }) => trackTypes));
  return keys.filter(({ trackTypes }) => trackTypes.some((trackType) => allowed.has(trackType)));
}
