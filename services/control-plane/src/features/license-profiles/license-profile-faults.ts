import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';
import { platformCapabilities } from '../platform/platform-capabilities';

type TrackType = ControlPlaneSchemas['TrackType'];

interface Profile {
  name: string;
  maximumHeight: number;
  tracks: ControlPlaneSchemas['TrackPolicy'][];
}

/** A license token carries the name. */
const maximumNameBytes = 100;

/** The lowest picture of each track type, in lines; audio has none. */
const lowestHeights: Record<Exclude<TrackType, 'AUDIO'>, number> = { SD: 1, HD: 577, UHD1: 1081, UHD2: 2161 };

/** What is wrong with a license profile beyond the shape of its fields; `sent`: those of them that the request sets. */
export function licenseProfileFaults(profile: Profile, sent: Partial<Profile>): FieldErrors {
  return {
    ...(sent.name === undefined ? {} : nameFaults(sent.name)),
    ...(sent.tracks === undefined ? {} : repeatFaults(sent.tracks)),
    ...heightFaults(profile, sent),
  };
}

function nameFaults(name: string): FieldErrors {
  if (platformCapabilities.policyTemplates.includes(name)) return { name: ['is the name of a built-in template'] };
  if (Buffer.byteLength(name, 'utf8') > maximumNameBytes) {
    return { name: [`must have at most ${maximumNameBytes} bytes of UTF-8`] };
  }
  return {};
}

function repeatFaults(tracks: Profile['tracks']): FieldErrors {
  const errors: FieldErrors = {};
  const places = new Map<TrackType, number>();
  for (const [index, { trackTypes }] of tracks.entries()) {
    for (const trackType of trackTypes) {
      const first = places.get(trackType);
      if (first === undefined) places.set(trackType, index);
      else {
        const field = `tracks[${index}].trackTypes`;
        errors[field] = [...(errors[field] ?? []), `repeats ${trackType} of tracks[${first}]`];
      }
    }
  }
  return errors;
}

function heightFaults({ maximumHeight, tracks }: Profile, sent: Partial<Profile>): FieldErrors {
  if (sent.maximumHeight === undefined && sent.tracks === undefined) return {};
  const heights = tracks
    .flatMap(({ trackTypes }) => trackTypes)
    .flatMap((trackType) => (trackType === 'AUDIO' ? [] : [lowestHeights[trackType]]));
  const lowest = Math.min(...heights);
  if (heights.length === 0 || lowest <= maximumHeight) return {};
  if (sent.maximumHeight === undefined) {
    return { tracks: [`must have a video track type that begins at or below maximumHeight, ${maximumHeight}`] };
  }
  return { maximumHeight: [`must be at least ${lowest}, where the lowest of the video track types begins`] };
}
