import { type Box, boxAt, contentOf, readBoxes, versionAndFlagsBytes } from './mp4-box';

export interface FragmentSamples {
  samples: Buffer[];
  /** Start and length in the track's timescale. */
  time: number;
  duration: number;
}

/** Splits a fragment's data into its samples (ISO/IEC 14496-12, 8.8.7 tfhd and 8.8.8 trun). */
export function readSamples(moof: Box, data: Buffer): FragmentSamples {
  const boxes = readBoxes(contentOf(moof));
  const preset = readDefaults(boxAt(boxes, 'traf', 'tfhd'));
  const trun = new Fields(boxAt(boxes, 'traf', 'trun'));
  const count = trun.next();
  trun.skip(0x1); // data offset: the samples are the content of the mdat box
  trun.skip(0x4); // flags of the first sample
  const samples: Buffer[] = [];
  let position = 0;
  let duration = 0;
  for (let index = 0; index < count; index++) {
    duration += trun.nextIf(0x100) ?? preset.duration;
    const size = trun.nextIf(0x200) ?? preset.size;
    trun.skip(0x400); // flags
    trun.skip(0x800); // composition offset
    samples.push(data.subarray(position, position + size));
    position += size;
  }
  if (position !== data.length)
    throw new Error(`${data.length - position} bytes of a fragment do not belong to a sample`);
  return { samples, time: decodeTimeOf(boxAt(boxes, 'traf', 'tfdt')), duration };
}

function readDefaults(tfhd: Box): { duration: number; size: number } {
  const fields = new Fields(tfhd);
  fields.next(); // track
  if (fields.has(0x1)) throw new Error('base data offsets are not supported: create the file with default_base_moof');
  fields.skip(0x2); // index of the sample description
  return { duration: fields.nextIf(0x8) ?? 0, size: fields.nextIf(0x10) ?? 0 };
}

function decodeTimeOf(tfdt: Box): number {
  const content = contentOf(tfdt);
  const at = versionAndFlagsBytes;
  return content.readUInt8(0) === 1 ? Number(content.readBigUInt64BE(at)) : content.readUInt32BE(at);
}

/** Reads the 32-bit fields of a "full" box in order; its flags determine which fields are present. */
class Fields {
  private readonly content: Buffer;
  private position = versionAndFlagsBytes;

  constructor(box: Box) {
    this.content = contentOf(box);
  }

  has(flag: number): boolean {
    return (this.content.readUInt32BE(0) & flag) !== 0;
  }

  next(): number {
    const value = this.content.readUInt32BE(this.position);
    this.position += 4;
    return value;
  }

  nextIf(flag: number): number | undefined {
    return this.has(flag) ? this.next() : undefined;
  }

  skip(flag: number): void {
    this.nextIf(flag);
  }
}
