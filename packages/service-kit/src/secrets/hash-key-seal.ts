import { isDeepStrictEqual } from 'node:util';
import { secretPlaces } from '@multi-drm/contracts';
import type { SecretKey } from './secret-keys';
import { Secrets } from './secrets';

/**
 * Seals the key of the viewers' buckets where it is stored and published: with this key, a guessed subject could be compared with the
 * hash of an erased viewer. Without `SECRET_KEYS` nothing is sealed.
 */
export class HashKeySeal {
  /** What was opened last: the document is read again and again. */
  private last: { text: string; hashKey: string } | undefined;

  constructor(private readonly keys: readonly SecretKey[]) {}

  /** Encrypts the key with each of `SECRET_KEYS`: during a rotation a process may have only one of them, and needs it for every call. */
  seal(hashKey: string): string {
    if (this.keys.length === 0) return hashKey;
    return this.keys.map((key) => new Secrets([key]).encrypt(secretPlaces.subjectHashKey, hashKey)).join(' ');
  }

  /** Returns the key. Throws as `Secrets.decrypt` does. */
  open(text: string): string {
    if (!isSealed(text)) return text;
    if (this.last?.text !== text) {
      const texts = text.split(' ');
      const known = texts.find((one) => this.keys.some(({ id }) => id === keyIdOf(one))) ?? text;
      this.last = { text, hashKey: new Secrets(this.keys).decrypt(secretPlaces.subjectHashKey, known) };
    }
    return this.last.hashKey;
  }

  /** Whether the newest of `SECRET_KEYS` has sealed it, maybe with others. */
  isNewest(text: string): boolean {
    const [newest] = this.keys;
    return newest === undefined || (isSealed(text) && keyIdsOf(text).has(newest.id));
  }

  /** Whether exactly these `SECRET_KEYS` have sealed it: a key that was removed must not open it any more. */
  isCurrent(text: string): boolean {
    if (this.keys.length === 0) return true;
    return isSealed(text) && isDeepStrictEqual(keyIdsOf(text), new Set(this.keys.map(({ id }) => id)));
  }

  /** Returns the deployment's document with its key opened. One that cannot be opened stays as it is, and is not valid. */
  openDeployment(json: string | null): string | null {
    try {
      const document = JSON.parse(json ?? 'null');
      const { subjectHashKey } = document;
      return isSealed(subjectHashKey)
        ? JSON.stringify({ ...document, subjectHashKey: this.open(subjectHashKey) })
        : json;
    } catch {
      return json;
    }
  }
}

/** `Secrets` describes the form. */
const keyIdOf = (text: string) => text.split('.')[1];

const keyIdsOf = (text: string) => new Set(text.split(' ').map(keyIdOf));

/** A key in the clear is base64url, which has no dots. */
function isSealed(text: unknown): text is string {
  return typeof text === 'string' && text.includes('.');
}
