import { hash } from 'node:crypto';

/** Identifies a credential without keeping the secret, and in constant length. */
export const hashOfCredential = (credential: string): string => hash('sha256', credential, 'base64');
