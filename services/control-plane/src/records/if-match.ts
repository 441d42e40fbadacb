import { Problem } from '@multi-drm/contracts';

/** Versions of a record that a change may meet; `any`: whatever its version. */
export type IfMatch = 'any' | number[];

const entityTag = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;
/**
 * The tag of a version, also as proxies that compress have changed it: `-gzip` (Apache's DeflateAlterETag AddSuffix, Caddy),
 * `--gzip` (Jetty's GzipHandler), `;gzip` (Django's GZipMiddleware), and the same of other codings.
 */
const versionForm = /^([1-9]\d{0,8})(?:(?:--?|;)(?:gzip|br|zstd|deflate))?$/;

/** The entity tag of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** As `parseIfMatch`, for operations that need no condition: without the header any version will do. */
export function parseOptionalIfMatch(header: string | undefined): IfMatch {
  return header === undefined ? 'any' : parseIfMatch(header);
}

/**
 * Reads `If-Match` (RFC 9110, section 13.1.1). Our tags are numbers of versions, so a weak tag names the version as well
 * as a strong one: proxies weaken the tags of answers that they compress. A tag that was never ours matches nothing. Throws `precondition_required` where the header is absent, `precondition_failed` where it is
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
    if (found === null)
      throw new Problem(
        'precondition_failed',
        'If-Match is not a list of entity tags, such as "2" in its quotation marks.',
      );
    const version = versionForm.exec(found[1] ?? '')?.[1];
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
}
