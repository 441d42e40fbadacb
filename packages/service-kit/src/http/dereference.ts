import type { OpenApiDocument } from '@multi-drm/contracts';

/** Returns the value itself, or what its `$ref` points to. */
export function dereference<Target>(document: OpenApiDocument, value: unknown): Target {
  const { $ref: reference } = (value ?? {}) as { $ref?: string };
  if (reference === undefined) return (value ?? {}) as Target;
  // References in a bundled document are always local: `#/components/schemas/DrmSystem`.
  let target: unknown = document;
  for (const name of reference.split('/').slice(1)) target = (target as Record<string, unknown>)[name];
  return dereference(document, target);
}
