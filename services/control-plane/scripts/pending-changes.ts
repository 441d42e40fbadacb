import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../src/database/migrate';
import { sqlToReachSchema } from './schema-engine';

const prismaFolder = join(__dirname, '..', 'prisma');
export const migrationsFolder = join(prismaFolder, 'migrations');
const ownSchema = join(prismaFolder, 'schema.prisma');

/**
 * The SQL that the migrations lack compared with the Prisma schema; empty if they agree. Applies all migrations to a
 * temporary database on the server at `serverUrl` and drops it afterwards. The user must be allowed to create
 * databases.
 */
export async function pendingChanges(serverUrl: string, schemaPath = ownSchema): Promise<string> {
  const server = new Client({ connectionString: serverUrl });
  await server.connect();
  const database = `migrations_${randomUUID()}`;
  try {
    await server.query(`CREATE DATABASE "${database}"`);
    try {
      const databaseUrl = new URL(serverUrl);
      databaseUrl.pathname = `/${database}`;
      await migrate(databaseUrl.href);
      return await sqlToReachSchema(databaseUrl.href, schemaPath);
    } finally {
      await server.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
    }
  } finally {
    await server.end();
  }
}
