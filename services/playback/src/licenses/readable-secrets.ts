import { Problem } from '@multi-drm/contracts';

/**
 * Returns the result of `read`. If it cannot decrypt a secret, because this process lacks the key or has a different one under its
 * id, throws the problem `service_unavailable`: only the operator can fix that. The cause, which names only the key's id, is logged
 * at a limited rate.
 */
export function requireReadable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Problem('service_unavailable', 'The service cannot decrypt the stored secrets that a license needs.', {
      headers: { 'Retry-After': '60' },
      cause: error,
    });
  }
}
