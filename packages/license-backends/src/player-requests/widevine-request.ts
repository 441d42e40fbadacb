import { isUtf8Text } from '../backends/answers';
import { challengeInvalid } from './challenge-invalid';

/**
 * Rejects text. Widevine's challenge is a protocol buffer that the player passes on unchanged (W3C Encrypted Media
 * Extensions, `MediaKeyMessageEvent.message`). A protocol buffer contains neither its version nor its length
 * (https://protobuf.dev/programming-guides/encoding/), so no other check is possible.
 */
export function requireWidevineMessage(body: Buffer): void {
  if (isUtf8Text(body))
    throw challengeInvalid('A Widevine challenge must be binary; this is text. Send the message unchanged.');
}
