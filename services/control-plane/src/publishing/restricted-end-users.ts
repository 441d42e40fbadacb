import { Prisma } from '../generated/prisma/client';

/**
 * End users that playback must know: those that are blocked or have their own limit, and those that were erased while they were blocked.
 * Playback admits all others as if they were not synchronized, so nothing is published of them.
 */
export const restrictedEndUsers = {
  OR: [
    { status: 'blocked' },
    { status: { not: 'archived' }, maximumConcurrentStreams: { not: null } },
    { erasedBlock: { isNot: null } },
  ],
} satisfies Prisma.EndUserWhereInput;

/** The same condition for rows of `end_user`, in SQL. */
export const isRestrictedEndUser = Prisma.sql`(
  end_user.status = 'blocked'
  OR (end_user.status <> 'archived' AND end_user.maximum_concurrent_streams IS NOT NULL)
  OR EXISTS (SELECT FROM erased_block WHERE erased_block.end_user_id = end_user.id))`;
