import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationsFolder, pendingChanges } from './pending-changes';

/**
 * `migrations:create <name>`: writes a new migration with everything that the Prisma schema has and the migrations
 * lack. Review it before committing, and add data migration by hand where needed. DATABASE_URL: a server on which a
 * database may be created.
 */
async function main(): Promise<void> {
  const serverUrl = process.env.DATABASE_URL;
  const name = process.argv[2];
  if (!serverUrl) throw new Error('DATABASE_URL is required');
  if (!name || !/^[a-z0-9_]+$/.test(name)) throw new Error('a name of lower-case letters, digits and _ is required');
  const changes = await pendingChanges(serverUrl);
  if (changes === '') {
    console.log('The Prisma schema has no changes.');
    return;
  }
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(migrationsFolder, `${timestamp}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), changes);
  console.log(join(folder, 'migration.sql'));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
