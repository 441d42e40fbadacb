import type { DemoKey } from './demo-titles';
import type { EncryptedTrack } from './encrypt-track';

/** ClearKey's scheme in DASH manifests (DASH-IF IOP, section 7.6.2.4). Players get the license URL from the session. */
const dashIfClearKeySystemId = 'e2719d58-a985-b3c9-781a-b030af78d30e';

export interface ManifestTrack {
  /** Prefix of the file names. */
  name: 'video' | 'audio';
  mimeType: 'video/mp4' | 'audio/mp4';
  codecs: string;
  /** Further attributes of the representation. */
  attributes: Record<string, string | number>;
  key: DemoKey;
  track: EncryptedTrack;
}

/** Builds a static DASH manifest (MPD). */
export function makeManifest(tracks: ManifestTrack[]): string {
  const durations = tracks.map(({ track: { segments, timescale } }) => {
    return segments.reduce((sum, { duration }) => sum + duration, 0) / timescale;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:cenc="urn:mpeg:cenc:2013" type="static"
  profiles="urn:mpeg:dash:profile:isoff-live:2011" minBufferTime="PT4S"
  mediaPresentationDuration="PT${Math.min(...durations).toFixed(3)}S">
  <Period id="1" start="PT0S">
${tracks.map(adaptationSet).join('\n')}
  </Period>
</MPD>
`;
}

function adaptationSet({ name, mimeType, codecs, attributes, key, track }: ManifestTrack): string {
  const further = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${value}"`);
  const timeline = track.segments.map(({ time, duration }) => `          <S t="${time}" d="${duration}"/>`);
  return `    <AdaptationSet contentType="${name}" mimeType="${mimeType}" segmentAlignment="true" startWithSAP="1">
      <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc" cenc:default_KID="${key.keyId}"/>
      <ContentProtection schemeIdUri="urn:uuid:${dashIfClearKeySystemId}" value="ClearKey1.0"/>
      <SegmentTemplate timescale="${track.timescale}" initialization="${name}-init.mp4" media="${name}-$Number$.m4s" startNumber="1">
        <SegmentTimeline>
${timeline.join('\n')}
        </SegmentTimeline>
      </SegmentTemplate>
      <Representation id="${name}" codecs="${codecs}" bandwidth="${bandwidthOf(track)}"${further.join('')}/>
    </AdaptationSet>`;
}

/** Average bits per second. */
export function bandwidthOf({ segments, timescale }: EncryptedTrack): number {
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes.length, 0);
  const ticks = segments.reduce((sum, segment) => sum + segment.duration, 0);
  return Math.ceil((8 * bytes * timescale) / ticks);
}
