import type { PrismaClient } from '../generated/prisma/client';
import { openDatabase } from '../testing/test-database';
import { moveRevisionsPast, takeRevision } from './revisions';

let prisma: PrismaClient;

beforeAll(async () => {
  ({ prisma } = await openDatabase({ statementMilliseconds: 500 }));
});

test('a revision that was taken already does not set the sequence, which could undo what others take meanwhile', async () => {
  const taken = await takeRevision(prisma);
  await prisma.$transaction(async (transaction) => {
    // Until the end of the transaction, the sequence can be read but not changed.
    await transaction.$executeRaw`ALTER SEQUENCE publication_revision OWNED BY NONE`;
    await moveRevisionsPast(prisma, taken);
  });
  expect(await takeRevision(prisma)).toBe(taken + 1n);
});

test('the next revision is past one that is higher than all that were taken', async () => {
  const present = (await takeRevision(prisma)) + 1_000n;
  await moveRevisionsPast(prisma, present);
  expect(await takeRevision(prisma)).toBe(present + 1n);
});
