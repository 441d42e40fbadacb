import { type DemoKey, demoKeys } from './demo-keys';
import type { EncryptedTrack } from './encrypt-track';
import { makeFullBox, uint32 } from './mp4-box';

/** The W3C's "common" system id, which every implementation of ClearKey takes. */
const commonSystemId = '1077efec-c0b2-4d02-ace3-3c1e52e2fb4b';

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

/** A static DASH manifest (MPD). */
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
  const bytes = track.segments.reduce((sum, segment) => sum + segment.bytes.length, 0);
  const ticks = track.segments.reduce((sum, segment) => sum + segment.duration, 0);
  const bandwidth = Math.ceil((8 * bytes * track.timescale) / ticks);
  const further = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${value}"`);
  const timeline = track.segments.map(({ time, duration }) => `          <S t="${time}" d="${duration}"/>`);
  return `    <AdaptationSet contentType="${name}" mimeType="${mimeType}" segmentAlignment="true" startWithSAP="1">
      <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc" cenc:default_KID="${key.keyId}"/>
      <ContentProtection schemeIdUri="urn:uuid:${commonSystemId}">
        <cenc:pssh>${protectionHeader().toString('base64')}</cenc:pssh>
      </ContentProtection>
      <SegmentTemplate timescale="${track.timescale}" initialization="${name}-init.mp4" media="${name}-$Number$.m4s" startNumber="1">
        <SegmentTimeline>
${timeline.join('\n')}
        </SegmentTimeline>
      </SegmentTemplate>
      <Representation id="${name}" codecs="${codecs}" bandwidth="${bandwidth}"${further.join('')}/>
    </AdaptationSet>`;
}

/** One box for both tracks, so that a player asks for both keys at once. */
function protectionHeader(): Buffer {
  const keyIds = Object.values(demoKeys).map(({ keyId }) => binary(keyId));
  return makeFullBox('pssh', 1, 0, binary(commonSystemId), uint32(keyIds.length), ...keyIds, uint32(0));
}

function binary(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
