import { Problem } from '@multi-drm/contracts';

/** The record versions that a change accepts; `any`: every version. */
export type IfMatch = 'any' | number[];

const entityTag = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;
/**
 * The ETag of a version, also as modified by compressing proxies: `-gzip` (Apache's DeflateAlterETag AddSuffix, Caddy),
 * `--gzip` (Jetty's GzipHandler), `;gzip` (Django's GZipMiddleware), and the same for other codings.
 */
const versionForm = /^([1-9]\d{0,8})(?:(?:--?|;)(?:gzip|br|zstd|deflate))?$/;

/** The ETag of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Like `parseIfMatch`, for operations that do not require a condition: without the header, every version matches. */
export function parseOptionalIfMatch(header: string | undefined): IfMatch {
  return header === undefined ? 'any' : parseIfMatch(header);
}

/**
 * Parses `If-Match` (RFC 9110, section 13.1.1). Our ETags are version numbers, so a weak tag identifies the version as
 * well as a strong one: proxies weaken the tags of responses that they compress. A tag that is not ours matches
 * nothing. Throws `precondition_required` if the header is absent, `precondition_failed` if it is malformed.
 */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) {
    throw new Problem('precondition_required', 'Send If-Match with the last ETag that you read of the record.');
  }
  if (header.trim() === '*') return 'any';
  const versions: number[] = [];
  entityTag.lastIndex = 0;
  while (entityTag.lastIndex < header.length) {
    const found = entityTag.exec(header);
    if (found === null)
      throw new Problem(
        'precondition_failed',
        'If-Match is not a list of entity tags, such as "2" with its quotation marks.',
      );
    const version = versionForm.exec(found[1] ?? '')?.[1];
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
}
