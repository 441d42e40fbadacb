import { createCipheriv } from 'node:crypto';
import type { DemoTitle } from './demo-titles';
import {
  type Box,
  boxAt,
  boxOf,
  contentOf,
  headerBytes,
  makeBox,
  makeFullBox,
  readBoxes,
  replaceInside,
  uint16,
  uint32,
  versionAndFlagsBytes,
} from './mp4-box';
import { binaryUuid, protectionHeader } from './protection-header';
import { readSamples } from './samples';

export interface Segment {
  bytes: Buffer;
  /** Start and length in the track's timescale. */
  time: number;
  duration: number;
}

export interface EncryptedTrack {
  initialization: Buffer;
  segments: Segment[];
  timescale: number;
}

const initializationVectorBytes = 8;

/**
 * Encrypts a fragmented MP4 with one track using the scheme "cenc" (ISO/IEC 23001-7: AES-128 in counter mode) and splits it into an
 * initialization segment and media segments. Encrypts with the key of the track; players learn all keys of the title. For H.264, slices are encrypted and their headers stay clear.
 */
export function encryptTrack(clear: Buffer, keys: DemoTitle['keys'], track: keyof DemoTitle['keys']): EncryptedTrack {
  const { keyId, key } = keys[track];
  const boxes = readBoxes(clear);
  const cipherKey = Buffer.from(key, 'hex');
  const isVideo = sampleEntryOf(boxes).type === 'avc1';
  let sampleNumber = 0n;
  const segments: Segment[] = [];
  for (const [index, moof] of boxes.entries()) {
    if (moof.type !== 'moof') continue;
    const mdat = boxes[index + 1];
    if (mdat?.type !== 'mdat') throw new Error('a moof box without a following mdat box');
    const { samples, time, duration } = readSamples(moof, contentOf(mdat));
    const encrypted = samples.map((sample) => {
      sampleNumber += 1n;
      return encryptSample(sample, { cipherKey, sampleNumber, isVideo });
    });
    segments.push({ bytes: makeSegment(moof, encrypted, isVideo), time, duration });
  }
  return { initialization: makeInitialization(boxes, keyId, keys), segments, timescale: timescaleOf(boxes) };
}

interface EncryptedSample {
  bytes: Buffer;
  /** The sample's entry in the senc box. */
  auxiliary: Buffer;
}

interface Subsample {
  clear: number;
  encrypted: number;
}

function encryptSample(
  sample: Buffer,
  { cipherKey, sampleNumber, isVideo }: { cipherKey: Buffer; sampleNumber: bigint; isVideo: boolean },
): EncryptedSample {
  const vector = Buffer.alloc(initializationVectorBytes);
  vector.writeBigUInt64BE(sampleNumber);
  const cipher = createCipheriv('aes-128-ctr', cipherKey, Buffer.concat([vector, Buffer.alloc(8)]));
  if (!isVideo) return { bytes: cipher.update(sample), auxiliary: vector };
  const subsamples = splitIntoSubsamples(sample);
  const parts: Buffer[] = [];
  let position = 0;
  for (const { clear, encrypted } of subsamples) {
    parts.push(sample.subarray(position, position + clear));
    parts.push(cipher.update(sample.subarray(position + clear, position + clear + encrypted)));
    position += clear + encrypted;
  }
  const table = subsamples.flatMap(({ clear, encrypted }) => [uint16(clear), uint32(encrypted)]);
  return { bytes: Buffer.concat(parts), auxiliary: Buffer.concat([vector, uint16(subsamples.length), ...table]) };
}

const lengthBytes = 4;
/** Enough for the headers of the NAL unit and the slice. */
const clearSliceBytes = 96;
const cipherBlockBytes = 16;
const longestClear = 0xffff;

/** Divides an H.264 sample into clear and encrypted bytes: whole cipher blocks at the end of each slice are encrypted. */
function splitIntoSubsamples(sample: Buffer): Subsample[] {
  const subsamples: Subsample[] = [];
  let clear = 0;
  const push = (encrypted: number): void => {
    for (; clear > longestClear; clear -= longestClear) subsamples.push({ clear: longestClear, encrypted: 0 });
    subsamples.push({ clear, encrypted });
    clear = 0;
  };
  for (let position = 0; position < sample.length; ) {
    const size = lengthBytes + sample.readUInt32BE(position);
    const unitType = sample.readUInt8(position + lengthBytes) & 0x1f;
    const isSlice = unitType === 1 || unitType === 5;
    const blocks = isSlice ? Math.floor((size - lengthBytes - clearSliceBytes) / cipherBlockBytes) : 0;
    const encrypted = Math.max(0, blocks) * cipherBlockBytes;
    clear += size - encrypted;
    if (encrypted > 0) push(encrypted);
    position += size;
  }
  if (clear > 0) push(0);
  return subsamples;
}

/** Builds a fragment with encrypted samples and the boxes that describe the encryption (senc, and saiz and saio pointing to it). */
function makeSegment(moof: Box, samples: EncryptedSample[], isVideo: boolean): Buffer {
  const usesSubsamples = 2;
  const count = uint32(samples.length);
  const sizes = Buffer.from(samples.map(({ auxiliary }) => auxiliary.length));
  const senc = makeFullBox('senc', 0, isVideo ? usesSubsamples : 0, count, ...samples.map((s) => s.auxiliary));
  const saiz = makeFullBox('saiz', 0, 0, Buffer.from([0]), count, sizes);
  // The offset is filled in below, once it is known.
  const saio = makeFullBox('saio', 0, 0, uint32(1), uint32(0));
  const added = senc.length + saiz.length + saio.length;
  const fragment = replaceInside(moof, ['traf'], (traf) => {
    const children = readBoxes(contentOf(traf)).map((box) => (box.type === 'trun' ? moveData(box, added) : box.bytes));
    return makeBox('traf', ...children, senc, saiz, saio);
  });
  // All three boxes are at the end. The entries of senc start after its header, version, flags and count.
  fragment.writeUInt32BE(fragment.length - added + 16, fragment.length - 4);
  return Buffer.concat([fragment, makeBox('mdat', ...samples.map(({ bytes }) => bytes))]);
}

/** Increases the data offset of a trun box. */
function moveData(trun: Box, distance: number): Buffer {
  const dataOffsetAt = 16;
  const moved = Buffer.from(trun.bytes);
  moved.writeInt32BE(moved.readInt32BE(dataOffsetAt) + distance, dataOffsetAt);
  return moved;
}

/**
 * Builds ftyp and moov. The sample entry names the encryption and the key; the `pssh` box at the end lets players request keys that
 * the manifest does not signal in a form they can read.
 */
function makeInitialization(boxes: Box[], keyId: string, keys: DemoTitle['keys']): Buffer {
  const moov = replaceInside(boxOf(boxes, 'moov'), ['trak', 'mdia', 'minf', 'stbl', 'stsd'], () => {
    const entry = sampleEntryOf(boxes);
    const scheme = makeFullBox('schm', 0, 0, Buffer.from('cenc'), uint32(0x10000));
    const isProtected = Buffer.from([0, 0, 1, initializationVectorBytes]);
    const encryption = makeFullBox('tenc', 0, 0, isProtected, binaryUuid(keyId));
    const original = makeBox('frma', Buffer.from(entry.type, 'latin1'));
    const protection = makeBox('sinf', original, scheme, makeBox('schi', encryption));
    const type = entry.type === 'avc1' ? 'encv' : 'enca';
    return makeFullBox('stsd', 0, 0, uint32(1), makeBox(type, contentOf(entry), protection));
  });
  const content = moov.subarray(headerBytes);
  return Buffer.concat([boxOf(boxes, 'ftyp').bytes, makeBox('moov', content, protectionHeader(keys))]);
}

function sampleEntryOf(boxes: Box[]): Box {
  const stsd = boxAt(boxes, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd');
  const [entry] = readBoxes(contentOf(stsd).subarray(versionAndFlagsBytes + 4));
  if (entry === undefined) throw new Error('no sample entry');
  return entry;
}

function timescaleOf(boxes: Box[]): number {
  const mdhd = contentOf(boxAt(boxes, 'moov', 'trak', 'mdia', 'mdhd'));
  return mdhd.readUInt32BE(mdhd.readUInt8(0) === 1 ? 20 : 12);
}
