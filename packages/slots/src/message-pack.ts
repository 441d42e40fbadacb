import { Decoder, Encoder } from '@msgpack/msgpack';

const encoder = new Encoder();
const decoder = new Decoder();
// The Lua library of Redis stores bytes as strings.
const bytesDecoder = new Decoder({ rawStrings: true });

/** Packs a value as MessagePack. */
export function pack(value: unknown): Buffer {
  return Buffer.from(encoder.encode(value));
}

/** Unpacks a value; throws an error for bytes that are not MessagePack. */
export function unpack(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}

/** Unpacks values that are packed one after the other; throws an error for bytes that are not MessagePack. */
export function unpackEach(bytes: Uint8Array): unknown[] {
  return [...decoder.decodeMulti(bytes)];
}

/** Unpacks values that are packed one after the other, with strings as bytes; throws an error for bytes that are not MessagePack. */
export function unpackAll(bytes: Uint8Array): unknown[] {
  return [...bytesDecoder.decodeMulti(bytes)];
}
