import type { OpenApiDocument } from '@multi-drm/contracts';

/** What a part of a bundled document stands for: the part itself, or what its `$ref` leads to. */
export function dereference<Target>(document: OpenApiDocument, value: unknown): Target {
  const { $ref: reference } = (value ?? {}) as { $ref?: string };
  if (reference === undefined) return (value ?? {}) as Target;
  // Bundled documents refer within themselves alone: `#/components/schemas/DrmSystem`.
  let target: unknown = document;
  for (const name of reference.split('/').slice(1)) target = (target as Record<string, unknown>)[name];
  return dereference(document, target);
}
