import { Prisma } from '../generated/prisma/client';

/**
 * End users that playback has to know of: those that are blocked or have a limit of their own. It lets in any other one as
 * if nobody had synchronized it, so nothing is published of them.
 */
export const restrictedEndUsers = {
  status: { not: 'archived' },
  OR: [{ status: 'blocked' }, { maximumConcurrentStreams: { not: null } }],
} satisfies Prisma.EndUserWhereInput;

/** The same of rows of `end_user`, in SQL. */
export const isRestrictedEndUser = Prisma.sql`
  end_user.status <> 'archived' AND (end_user.status = 'blocked' OR end_user.maximum_concurrent_streams IS NOT NULL)`;
