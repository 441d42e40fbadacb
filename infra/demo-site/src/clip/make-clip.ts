import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clipFolder } from './clip-folder';
import { type DemoTitle, demoTitles } from './demo-titles';
import { type EncryptedTrack, encryptTrack } from './encrypt-track';
import { type ManifestTrack, makeManifest } from './manifest';
import { makePlaylists } from './playlists';

/** What each title shows and plays: sources of ffmpeg, and how long. */
const sources: Record<string, { seconds: number; picture: string; tone: number }> = {
  'demo-movie': { seconds: 28, picture: 'testsrc2', tone: 220 },
  'demo-trailer': { seconds: 16, picture: 'testsrc', tone: 330 },
};
const framesPerSecond = 24;
const segmentSeconds = 4;
const maximumBytes = 1024 * 1024;

const fragments = ['-movflags', '+empty_moov+default_base_moof+frag_keyframe', '-f', 'mp4'];
/** A checksum of every decoded frame. */
const hashes = ['-f', 'framemd5', '-'];
const encodersOf = ({ seconds, picture, tone }: { seconds: number; picture: string; tone: number }) => ({
  video: [
    ...['-f', 'lavfi', '-i', `${picture}=size=640x360:rate=${framesPerSecond}:duration=${seconds}`],
    ...['-c:v', 'libx264', '-profile:v', 'main', '-level', '3.0', '-pix_fmt', 'yuv420p', '-bf', '0'],
    ...['-b:v', '190k', '-maxrate', '220k', '-bufsize', '440k', '-preset', 'veryslow'],
    ...['-g', String(framesPerSecond * segmentSeconds), '-sc_threshold', '0', ...fragments],
  ],
  audio: [
    ...['-f', 'lavfi', '-i', `sine=frequency=${tone}:beep_factor=4:sample_rate=48000:duration=${seconds}`],
    ...['-filter:a', 'volume=0.5', '-c:a', 'aac', '-b:a', '48k', '-ac', '1'],
    ...['-frag_duration', String(segmentSeconds * 1_000_000), ...fragments],
  ],
});

/**
 * Creates the clip of a title: a test picture and a tone, encrypted, as DASH and HLS. Requires ffmpeg, and checks that the result decodes
 * to the original. Run with `pnpm --filter @multi-drm/demo-site make-clip <contentId>`; the result is committed to the repository.
 */
function makeClip({ contentId, folder, keys }: DemoTitle): void {
  const source = sources[contentId];
  if (source === undefined) throw new Error(`nothing is known to show for ${contentId}`);
  const encoders = encodersOf(source);
  const files = clipFolder(folder);
  const work = mkdtempSync(join(tmpdir(), 'demo-clip-'));
  try {
    const video = makeTrack(work, encoders, keys, 'video');
    const audio = makeTrack(work, encoders, keys, 'audio');
    const picture = { width: 640, height: 360, frameRate: framesPerSecond };
    const tracks: ManifestTrack[] = [
      {
        ...{ name: 'video', mimeType: 'video/mp4', codecs: avcCodec(video), attributes: picture },
        ...{ key: keys.video, track: video },
      },
      {
        ...{ name: 'audio', mimeType: 'audio/mp4', codecs: 'mp4a.40.2', attributes: { audioSamplingRate: 48_000 } },
        ...{ key: keys.audio, track: audio },
      },
    ];
    rmSync(files, { recursive: true, force: true });
    mkdirSync(files, { recursive: true });
    for (const { name, track } of tracks) {
      writeFileSync(join(files, `${name}-init.mp4`), track.initialization);
      for (const [index, { bytes }] of track.segments.entries()) {
        writeFileSync(join(files, `${name}-${index + 1}.m4s`), bytes);
      }
    }
    writeFileSync(join(files, 'manifest.mpd'), makeManifest(tracks));
    for (const [name, playlist] of makePlaylists(tracks)) writeFileSync(join(files, name), playlist);
  } finally {
    rmSync(work, { recursive: true });
  }
  const size = readdirSync(files).reduce((sum, name) => sum + statSync(join(files, name)).size, 0);
  process.stdout.write(`${files}: ${size} bytes\n`);
  if (size > maximumBytes) throw new Error(`the clip must not exceed ${maximumBytes} bytes`);
}

function makeTrack(
  work: string,
  encoders: ReturnType<typeof encodersOf>,
  keys: DemoTitle['keys'],
  name: keyof DemoTitle['keys'],
): EncryptedTrack {
  const clear = join(work, `${name}.mp4`);
  ffmpeg([...encoders[name], clear]);
  const track = encryptTrack(readFileSync(clear), keys, name);
  const encrypted = Buffer.concat([track.initialization, ...track.segments.map(({ bytes }) => bytes)]);
  const original = ffmpeg(['-i', clear, ...hashes]);
  if (ffmpeg(['-decryption_key', keys[name].key, '-i', '-', ...hashes], encrypted) !== original) {
    throw new Error(`with its key, the encrypted ${name} does not decode to the original`);
  }
  if (decodesWithoutKey(encrypted, original)) throw new Error(`the ${name} is not encrypted`);
  const frames = original.split('\n').filter((line) => /^\d/.test(line)).length;
  process.stdout.write(`${name}: ${track.segments.length} segments, ${frames} frames decode to the original\n`);
  return track;
}

function decodesWithoutKey(encrypted: Buffer, original: string): boolean {
  try {
    return ffmpeg(['-i', '-', ...hashes], encrypted) === original;
  } catch {
    // Encrypted data may not decode at all.
    return false;
  }
}

/** Encrypted input is piped so that it is read by fragment: in a file, ffmpeg looks for all decryption tables in the last fragment. */
function ffmpeg(args: string[], input?: Buffer): string {
  const quiet = ['-hide_banner', '-loglevel', 'fatal', '-y', '-fflags', '+bitexact', '-threads', '1'];
  return execFileSync('ffmpeg', [...quiet, ...args], {
    encoding: 'utf8',
    input: input ?? '',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** Returns the codec string, such as avc1.4D401E: profile, constraints and level from the avcC box. */
function avcCodec({ initialization }: EncryptedTrack): string {
  const content = initialization.indexOf('avcC') + 4;
  return `avc1.${initialization.toString('hex', content + 1, content + 4).toUpperCase()}`;
}

const title = demoTitles.find(({ contentId }) => contentId === process.argv[2]);
if (title === undefined) throw new Error(`name one of ${demoTitles.map(({ contentId }) => contentId).join(', ')}`);
makeClip(title);
