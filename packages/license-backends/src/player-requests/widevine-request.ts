import { isText } from '../backends/answers';
import { challengeInvalid } from './challenge-invalid';

/**
 * Widevine's challenge is a protocol buffer, which the player passes on as it is (W3C Encrypted Media Extensions,
 * `MediaKeyMessageEvent.message`). A protocol buffer says neither its version nor its length
 * (https://protobuf.dev/programming-guides/encoding/), so that nothing but text is certainly none.
 */
export function requireWidevineMessage(body: Buffer): void {
  if (isText(body)) throw challengeInvalid("Widevine's challenge is binary; this is text. Send the message as it is.");
}
