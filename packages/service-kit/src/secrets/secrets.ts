import { createCipheriv, createDecipheriv, randomBytes as systemRandomBytes } from 'node:crypto';
import { Problem, type SecretPlace } from '@multi-drm/contracts';
import type { SecretKey } from './secret-keys';

const algorithm = 'aes-256-gcm';
/** Bytes, as NIST SP 800-38D, section 8.2, recommends for GCM. */
const ivLength = 12;
const tagLength = 16;

const form = /^v1\.([A-Za-z0-9_-]{1,64})\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/;

/** Seconds until an installation without keys is worth another try. */
const withoutKeysRetrySeconds = 3_600;

/**
 * Encrypts secrets before they are stored and published, and decrypts them: AES-256-GCM, with record id, field and key id
 * as additional data, so that a secret is of use in its own place alone. The text is `v1.<keyId>.<iv>.<tag>.<ciphertext>`,
 * the last three in base64url.
 */
export class Secrets {
  /** The first key encrypts, all of them decrypt: a new key goes in front, and the old ones stay behind it. */
  constructor(
    private readonly keys: readonly SecretKey[],
    private readonly randomBytes: (size: number) => Buffer = systemRandomBytes,
  ) {}

  /** Throws `service_unavailable` where the settings hold no key. */
  encrypt(place: SecretPlace, plaintext: string): string {
    const [first] = this.keys;
    if (first === undefined) {
      throw new Problem('service_unavailable', 'The operator has set up no keys (SECRET_KEYS) to keep secrets under.', {
        headers: { 'Retry-After': String(withoutKeysRetrySeconds) },
      });
    }
    const iv = this.randomBytes(ivLength);
    const cipher = createCipheriv(algorithm, first.key, iv, { authTagLength: tagLength });
    cipher.setAAD(additionalData(place, first.id));
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
    return ['v1', first.id, ...parts].join('.');
  }

  /** Throws where the text is malformed, was changed, belongs to another place, or its key is not in the settings. */
  decrypt(place: SecretPlace, text: string): string {
    const [, keyId, iv, tag, ciphertext] = form.exec(text) ?? [];
    if (keyId === undefined || iv === undefined || tag === undefined || ciphertext === undefined) {
      throw new Error('a stored secret is malformed');
    }
    const found = this.keys.find(({ id }) => id === keyId);
    if (found === undefined) throw new Error(`SECRET_KEYS lacks the key ${keyId}, under which a secret is stored`);
    const decipher = createDecipheriv(algorithm, found.key, Buffer.from(iv, 'base64url'), { authTagLength: tagLength });
    decipher.setAAD(additionalData(place, keyId));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()]).toString('utf8');
  }

  /** The secret under the first key; the very same text where it is under that one already. Throws as `decrypt` does. */
  renew(place: SecretPlace, text: string): string {
    const isNewest = form.exec(text)?.[1] === this.keys[0]?.id;
    const plaintext = this.decrypt(place, text);
    return isNewest ? text : this.encrypt(place, plaintext);
  }
}

/** As JSON, in which no two places read alike. */
function additionalData({ recordId, field }: SecretPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([recordId, field, keyId]), 'utf8');
}
