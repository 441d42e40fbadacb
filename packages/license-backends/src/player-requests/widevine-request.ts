import { isText } from '../backends/answers';
import { challengeInvalid } from './challenge-invalid';

/**
 * Widevine's challenge is a protocol buffer, `SignedMessage`, which the player passes on as it is
 * (https://www.w3.org/TR/encrypted-media/, section 5.4, `message`). A protocol buffer says neither its version nor its
 * length, so that nothing but text is certainly none.
 */
export function requireWidevineMessage(body: Buffer): void {
  if (isText(body)) throw challengeInvalid("Widevine's challenge is binary; this is text. Send the message as it is.");
}
