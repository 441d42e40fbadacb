/** A box of an MP4 file (ISO/IEC 14496-12). */
export interface Box {
  type: string;
  /** The whole box, its header included. */
  bytes: Buffer;
}

/** Size and type, which begin every box. */
export const headerBytes = 8;
/** Version and flags, which begin the content of a "full" box. */
export const versionAndFlagsBytes = 4;

/** The boxes in a stretch of bytes that holds nothing else. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let position = 0; position + headerBytes <= bytes.length; ) {
    const size = bytes.readUInt32BE(position);
    if (size < headerBytes) throw new Error(`a box of ${size} bytes: sizes of 64 bits are not read here`);
    const type = bytes.toString('latin1', position + 4, position + headerBytes);
    boxes.push({ type, bytes: bytes.subarray(position, position + size) });
    position += size;
  }
  return boxes;
}

/** What a box holds. */
export function contentOf(box: Box): Buffer {
  return box.bytes.subarray(headerBytes);
}

/** The one box of a type among others. */
export function boxOf(boxes: Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type);
  if (found === undefined) throw new Error(`no ${type} box`);
  return found;
}

/** The box at a path such as `moov`, `trak`. */
export function boxAt(boxes: Box[], ...[type = '', ...rest]: string[]): Box {
  const found = boxOf(boxes, type);
  return rest.length === 0 ? found : boxAt(readBoxes(contentOf(found)), ...rest);
}

export function makeBox(type: string, ...content: Buffer[]): Buffer {
  const size = headerBytes + content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([uint32(size), Buffer.from(type, 'latin1'), ...content]);
}

/** A "full" box: one with version and flags. */
export function makeFullBox(type: string, version: number, flags: number, ...content: Buffer[]): Buffer {
  return makeBox(type, uint32(version * 0x1000000 + flags), ...content);
}

/** The box with another one in the place of the one at a path inside it. */
export function replaceInside(box: Box, [type, ...rest]: string[], change: (box: Box) => Buffer): Buffer {
  if (type === undefined) return change(box);
  const children = readBoxes(contentOf(box)).map((child) =>
    child.type === type ? replaceInside(child, rest, change) : child.bytes,
  );
  return makeBox(box.type, ...children);
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
