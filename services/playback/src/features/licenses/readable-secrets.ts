import { Problem } from '@multi-drm/contracts';

/**
 * What `read` gives. A secret that it cannot read, since this process lacks the key or has another one under its id, is the
 * operator's to mend: the Problem `service_unavailable`, whose cause is logged once in a while and names the key's id alone.
 */
export function requireReadable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Problem('service_unavailable', 'The service cannot read the stored secrets that a license needs.', {
      headers: { 'Retry-After': '60' },
      cause: error,
    });
  }
}
