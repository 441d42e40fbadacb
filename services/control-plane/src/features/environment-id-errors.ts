import type { FieldErrors } from '@multi-drm/contracts';

/** Validation errors of the environments that a record of a project names; null names all of them. */
export function environmentIdErrors(environmentIds: string[] | null, allowed: string[]): FieldErrors {
  const known = new Set(allowed);
  return Object.fromEntries(
    (environmentIds ?? []).flatMap((id, index) =>
      known.has(id.toLowerCase()) ? [] : [[`environmentIds[${index}]`, ['must be an environment of the project']]],
    ),
  );
}
