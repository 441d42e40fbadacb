import type { DemoTitle } from './demo-titles';
import { makeFullBox, uint32 } from './mp4-box';

/** The W3C's "common" system id, which every implementation of ClearKey accepts (W3C "cenc" Initialization Data Format). */
const commonSystemId = '1077efec-c0b2-4d02-ace3-3c1e52e2fb4b';

/** The `pssh` box of a clip with these keys. It names the keys of both tracks, so that a player requests both together. */
export function protectionHeader(keys: DemoTitle['keys']): Buffer {
  const keyIds = Object.values(keys).map(({ keyId }) => binaryUuid(keyId));
  return makeFullBox('pssh', 1, 0, binaryUuid(commonSystemId), uint32(keyIds.length), ...keyIds, uint32(0));
}

/** Returns the 16 bytes of a UUID. */
export function binaryUuid(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
