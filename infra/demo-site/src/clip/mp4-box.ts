/** A box of an MP4 file (ISO/IEC 14496-12). */
export interface Box {
  type: string;
  /** The whole box, including its header. */
  bytes: Buffer;
}

/** The length of size and type at the start of every box. */
export const headerBytes = 8;
/** The length of version and flags at the start of a "full" box's content. */
export const versionAndFlagsBytes = 4;

/** Parses bytes that consist of boxes only. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let position = 0; position + headerBytes <= bytes.length; ) {
    const size = bytes.readUInt32BE(position);
    if (size < headerBytes) throw new Error(`a box of ${size} bytes: 64-bit sizes are not supported`);
    const type = bytes.toString('latin1', position + 4, position + headerBytes);
    boxes.push({ type, bytes: bytes.subarray(position, position + size) });
    position += size;
  }
  return boxes;
}

/** Returns the content of a box. */
export function contentOf(box: Box): Buffer {
  return box.bytes.subarray(headerBytes);
}

/** Returns the box with the type. */
export function boxOf(boxes: Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type);
  if (found === undefined) throw new Error(`no ${type} box`);
  return found;
}

/** Returns the box at a path such as `moov`, `trak`. */
export function boxAt(boxes: Box[], ...[type = '', ...rest]: string[]): Box {
  const found = boxOf(boxes, type);
  return rest.length === 0 ? found : boxAt(readBoxes(contentOf(found)), ...rest);
}

export function makeBox(type: string, ...content: Buffer[]): Buffer {
  const size = headerBytes + content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([uint32(size), Buffer.from(type, 'latin1'), ...content]);
}

/** Builds a "full" box: one with version and flags. */
export function makeFullBox(type: string, version: number, flags: number, ...content: Buffer[]): Buffer {
  return makeBox(type, uint32(version * 0x1000000 + flags), ...content);
}

/** Replaces the box at a path inside another box. */
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
