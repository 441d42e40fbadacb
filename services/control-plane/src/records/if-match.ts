import { Problem } from '@multi-drm/contracts';

/** Versions of a record that a change may meet; `any`: whatever its version. */
export type IfMatch = 'any' | number[];

const entityTag = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;
const versionForm = /^[1-9]\d{0,8}$/;

/** The entity tag of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** As `parseIfMatch`, for operations that need no condition: without the header any version will do. */
export function parseOptionalIfMatch(header: string | undefined): IfMatch {
  return header === undefined ? 'any' : parseIfMatch(header);
}

/**
 * Reads `If-Match` (RFC 9110, section 13.1.1), compared strongly: a weak tag matches nothing, and neither does a tag
 * that was never ours. Throws `precondition_required` where the header is absent, `precondition_failed` where it is
 * malformed.
 */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) {
    throw new Problem('precondition_required', 'Send If-Match with the ETag of the record as you last read it.');
  }
  if (header.trim() === '*') return 'any';
  const versions: number[] = [];
  entityTag.lastIndex = 0;
  while (entityTag.lastIndex < header.length) {
    const found = entityTag.exec(header);
    if (found === null) throw new Problem('precondition_failed', 'If-Match is not a list of entity tags.');
    const [, weak, opaque] = found;
    if (weak === undefined && opaque !== undefined && versionForm.test(opaque)) versions.push(Number(opaque));
  }
  return versions;
}
