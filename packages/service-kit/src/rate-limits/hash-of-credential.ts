import { createHash } from 'node:crypto';

/** Identifies a credential without keeping the secret, and in constant length. */
export const hashOfCredential = (credential: string): string =>
  createHash('sha256').update(credential, 'utf8').digest('base64');
