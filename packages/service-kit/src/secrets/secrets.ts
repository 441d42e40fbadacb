import { createCipheriv, createDecipheriv, randomBytes as systemRandomBytes } from 'node:crypto';
import { Problem, type SecretPlace } from '@multi-drm/contracts';
import type { SecretKey } from './secret-keys';

const algorithm = 'aes-256-gcm';
/** In bytes, as NIST SP 800-38D, section 8.2, recommends for GCM. */
const ivLength = 12;
const tagLength = 16;

const form = /^v1\.([A-Za-z0-9_-]{1,64})\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/;

/** Retry-After when no keys are configured: only the operator can change that. */
const withoutKeysRetrySeconds = 3_600;

/**
 * Encrypts and decrypts secrets that are stored and published: AES-256-GCM with record id, field and key id as
 * additional data, so that a secret is only usable in its own place. The format is
 * `v1.<keyId>.<iv>.<tag>.<ciphertext>`, the last three in base64url.
 */
export class Secrets {
  /** The first key encrypts; all of them decrypt. To rotate, put a new key in front of the old ones. */
  constructor(
    private readonly keys: readonly SecretKey[],
    private readonly randomBytes: (size: number) => Buffer = systemRandomBytes,
  ) {}

  /** Throws `service_unavailable` if no key is configured. */
  encrypt(place: SecretPlace, plaintext: string): string {
    const [first] = this.keys;
    if (first === undefined) {
      throw new Problem('service_unavailable', 'The operator has not configured SECRET_KEYS for encrypting secrets.', {
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

  /** Throws if the text is malformed, was modified, belongs to another place, or its key is not configured. */
  decrypt(place: SecretPlace, text: string): string {
    const [, keyId, iv, tag, ciphertext] = form.exec(text) ?? [];
    if (keyId === undefined || iv === undefined || tag === undefined || ciphertext === undefined) {
      throw new Error('a stored secret is malformed');
    }
    const found = this.keys.find(({ id }) => id === keyId);
    if (found === undefined) throw new Error(`SECRET_KEYS has no key ${keyId}, which encrypts a stored secret`);
    const decipher = createDecipheriv(algorithm, found.key, Buffer.from(iv, 'base64url'), { authTagLength: tagLength });
    decipher.setAAD(additionalData(place, keyId));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()]).toString('utf8');
  }

  /**
   * Re-encrypts a secret with the first key; returns the same text if that key encrypted it. Throws as `decrypt` does.
   */
  renew(place: SecretPlace, text: string): string {
    const isNewest = form.exec(text)?.[1] === this.keys[0]?.id;
    const plaintext = this.decrypt(place, text);
    return isNewest ? text : this.encrypt(place, plaintext);
  }
}

/** JSON, so that different places never produce the same bytes. */
function additionalData({ recordId, field }: SecretPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([recordId, field, keyId]), 'utf8');
}
