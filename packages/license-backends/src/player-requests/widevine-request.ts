import { isText } from '../backends/answers';
import { challengeInvalid } from './challenge-invalid';

/**
 * Widevine's challenge is a protocol buffer, `SignedMessage` (https://protobuf.dev/programming-guides/encoding/). Its
 * fields are walked over, none is looked into: that finds text, and what was cut off on the way.
 */
export function requireWidevineMessage(body: Buffer): void {
  if (isText(body)) throw challengeInvalid("Widevine's challenge is binary; this is text. Send the message as it is.");
  if (!isWholeMessage(body)) throw challengeInvalid('This is no Widevine challenge, or it is truncated.');
}

const fixedLengths = new Map([
  [1, 8],
  [5, 4],
]);

/** Whether these bytes are fields of a protocol buffer from the first to the last. */
export function isWholeMessage(body: Buffer): boolean {
  let position = 0;
  while (position < body.length) {
    const tag = readVarint(body, position);
    if (tag === undefined || tag.value < 8) return false;
    const wireType = tag.value % 8;
    const next = wireType === 0 || wireType === 2 ? readVarint(body, tag.end) : undefined;
    if (wireType === 0 || wireType === 2) {
      if (next === undefined) return false;
      position = next.end + (wireType === 2 ? next.value : 0);
    } else {
      const length = fixedLengths.get(wireType);
      if (length === undefined) return false;
      position = tag.end + length;
    }
  }
  return position === body.length;
}

/** A base-128 number of at most ten bytes; undefined where it does not end. Large ones lose digits, not their size. */
function readVarint(body: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = body[start + index];
    if (byte === undefined) return undefined;
    value += (byte % 128) * 128 ** index;
    if (byte < 128) return { value, end: start + index + 1 };
  }
  return undefined;
}
