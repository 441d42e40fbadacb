import { cloneDatabase } from '@multi-drm/test-kit';
import { createPrismaClient, type PrismaClientOptions } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
});

/** Creates a database for the suite and connects to it; both end with the suite. */
export async function openDatabase(options?: PrismaClientOptions): Promise<{ prisma: PrismaClient; url: string }> {
  const database = await cloneDatabase();
  const prisma = createPrismaClient(database.url, options);
  closers.push(async () => {
    await prisma.$disconnect();
    await database.drop();
  });
  return { prisma, url: database.url };
}
