import { createHash } from 'node:crypto';

/** By which a credential is remembered: neither a secret nor as long as whatever callers send. */
export const hashOfCredential = (credential: string): string =>
  createHash('sha256').update(credential, 'utf8').digest('base64');
