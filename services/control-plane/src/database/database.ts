import type { Prisma, PrismaClient } from '../generated/prisma/client';

/** The database. Transactions begin on it, and queries outside of a transaction run on it. */
export type Database = PrismaClient;

/**
 * What a query runs on: a transaction, or the database itself. Only stores, audit and publishing call its methods; features, records and
 * access use the functions of the stores.
 */
export type Transaction = Prisma.TransactionClient;
