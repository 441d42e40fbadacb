import { publishedKeys } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { readSubjectBuckets } from './subject-hash-key';

/**
 * Of the former keys of an end user or a license profile, those with the subject or name that it still has: no other record can be
 * published under them, and an older copy of Redis may bring their documents back. For other kinds: none.
 */
export async function ownFormerKeys(
  transaction: Transaction,
  documentKind: DocumentKind,
  documentId: string,
  formerKeys: string[],
): Promise<string[]> {
  if (formerKeys.length === 0) return [];
  if (documentKind === 'endUser') {
    const user = await transaction.endUser.findUnique({
      where: { id: documentId },
      select: { subject: true, project: { select: { environments: { select: { id: true } } } } },
    });
    const subject = user?.subject ?? null;
    if (user === null || subject === null) return [];
    const buckets = await readSubjectBuckets(transaction);
    const own = user.project.environments.map(({ id }) => publishedKeys.endUser(id, buckets.hashOf(id, subject)));
    return formerKeys.filter((key) => own.includes(key));
  }
  if (documentKind === 'licenseProfile') {
    const profile = await transaction.licenseProfile.findUnique({ where: { id: documentId } });
    return formerKeys.filter(
      (key) => profile !== null && key === publishedKeys.licenseProfile(profile.projectId, profile.name),
    );
  }
  return [];
}
