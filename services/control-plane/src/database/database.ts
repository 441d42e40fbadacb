import type { Prisma, PrismaClient } from '../generated/prisma/client';

/** The database: what changes begin their transactions on. Queries outside of a change run on it too. */
export type Database = PrismaClient;

/** What a query runs on: the transaction of a change, or the database itself. Only stores call its methods. */
export type Transaction = Prisma.TransactionClient;
