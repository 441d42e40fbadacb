import { pendingChanges } from './pending-changes';

/**
 * `drift [schema file]`: exits with code 2 and prints the missing SQL if the Prisma schema contains something that no
 * migration creates; exits with code 1 if the check itself failed. DATABASE_URL: a server on which a database may be
 * created.
 */
async function main(): Promise<void> {
  const serverUrl = process.env.DATABASE_URL;
  if (!serverUrl) throw new Error('DATABASE_URL is required');
  const changes = await pendingChanges(serverUrl, process.argv[2]);
  if (changes === '') {
    console.log('The migrations and the Prisma schema agree.');
    return;
  }
  console.error(`The Prisma schema has changes without a migration (npm run migration -- <name>):\n\n${changes}`);
  process.exitCode = 2;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
