import { Problem } from '@multi-drm/contracts';
import type { IfMatch } from './if-match';

type Noun =
  | 'organization'
  | 'project'
  | 'environment'
  | 'DRM system'
  | 'rights'
  | 'license profile'
  | 'content asset'
  | 'end user'
  | 'API client';

/**
 * Makes sure that a record, whose row the transaction has locked, may be changed. Throws `conflict` where it is
 * archived, `precondition_failed` where its version is none of those.
 */
export function requireChangeable(record: { status: string; version: number }, ifMatch: IfMatch, noun: Noun): void {
  if (record.status === 'archived') {
    throw new Problem('conflict', `The ${noun} is archived: it can be read, not changed.`);
  }
  requireMatch(record, ifMatch, noun);
}

/** As `requireChangeable`, where the caller has dealt with what is archived. Throws `precondition_failed`. */
export function requireMatch(record: { version: number }, ifMatch: IfMatch, noun: Noun): void {
  if (ifMatch !== 'any' && !ifMatch.includes(record.version)) {
    throw new Problem('precondition_failed', `Another change came first: read the ${noun} again.`);
  }
}
