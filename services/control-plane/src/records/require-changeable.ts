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
  | 'API client'
  | 'webhook endpoint';

/**
 * Checks that a record, whose row the transaction has locked, may be changed. Throws `conflict` if it is archived,
 * `precondition_failed` if it has none of the expected versions.
 */
export function requireChangeable(record: { status: string; version: number }, ifMatch: IfMatch, noun: Noun): void {
  if (record.status === 'archived') {
    throw new Problem('conflict', `The ${noun} is archived: it can be read but not changed.`);
  }
  requireMatch(record, ifMatch, noun);
}

/** Like `requireChangeable`, but the caller handles archived records. Throws `precondition_failed`. */
export function requireMatch(record: { version: number }, ifMatch: IfMatch, noun: Noun): void {
  if (ifMatch !== 'any' && !ifMatch.includes(record.version)) {
    throw new Problem('precondition_failed', `The ${noun} has changed since you read it: read it again.`);
  }
}
