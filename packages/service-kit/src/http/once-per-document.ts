import type { OpenApiDocument } from '@multi-drm/contracts';

/** Returns the same result for the same document and the same other arguments. */
export type OncePerDocument<Made, Rest extends unknown[]> = (document: OpenApiDocument, ...rest: Rest) => Made;

/**
 * Returns a function that calls `make` once for each document and key, and returns the same result afterwards. With it, the applications
 * of one process share what they compile from their document. The result must depend on nothing else, and the document must not change.
 */
export function oncePerDocument<Made, Rest extends unknown[]>(
  keyOf: (...rest: Rest) => string,
  make: (document: OpenApiDocument, ...rest: Rest) => Made,
): OncePerDocument<Made, Rest> {
  const made = new WeakMap<OpenApiDocument, Map<string, Made>>();
  return (document, ...rest) => {
    const byKey = made.get(document) ?? new Map<string, Made>();
    made.set(document, byKey);
    const key = keyOf(...rest);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const result = make(document, ...rest);
    byKey.set(key, result);
    return result;
  };
}
