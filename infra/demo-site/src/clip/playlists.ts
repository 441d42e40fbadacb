import { bandwidthOf, type ManifestTrack } from './manifest';
import { binaryUuid } from './protection-header';

/** Builds the HLS playlists of the clip by file name: one for all tracks and one for each track. */
export function makePlaylists(tracks: ManifestTrack[]): Map<string, string> {
  return new Map([
    ['manifest.m3u8', multivariantPlaylist(tracks)],
    ...tracks.map((track): [string, string] => [`${track.name}.m3u8`, mediaPlaylist(track)]),
  ]);
}

/** A Multivariant Playlist (RFC 8216, section 4.3.4): the video is the only variant, the audio a rendition. */
function multivariantPlaylist(tracks: ManifestTrack[]): string {
  const bandwidth = tracks.reduce((sum, { track }) => sum + bandwidthOf(track), 0);
  const codecs = tracks.map((track) => track.codecs).join(',');
  return lines(
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"',
    `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},CODECS="${codecs}",RESOLUTION=640x360,AUDIO="audio"`,
    'video.m3u8',
  );
}

/** A Media Playlist (RFC 8216, section 4.3.3) of fragmented MP4. */
function mediaPlaylist({ name, key, track: { segments, timescale } }: ManifestTrack): string {
  const seconds = (duration: number) => duration / timescale;
  const longest = Math.max(...segments.map(({ duration }) => Math.round(seconds(duration))));
  const keyId = binaryUuid(key.keyId);
  return lines(
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${longest}`,
    // Clients that support ClearKey in HLS identify it by its key system, and the key by the bytes of the URI.
    `#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,KEYFORMAT="org.w3.clearkey",KEYFORMATVERSIONS="1",KEYID=0x${keyId.toString('hex')},URI="data:text/plain;base64,${keyId.toString('base64')}"`,
    `#EXT-X-MAP:URI="${name}-init.mp4"`,
    ...segments.flatMap(({ duration }, index) => [
      `#EXTINF:${seconds(duration).toFixed(5)},`,
      `${name}-${index + 1}.m4s`,
    ]),
    '#EXT-X-ENDLIST',
  );
}

function lines(...all: string[]): string {
  return `${all.join('\n')}\n`;
}
