import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

async function runDrift(...args: string[]): Promise<{ exitCode: number; output: string }> {
  const script = [require.resolve('tsx/cli'), join(__dirname, 'drift.ts'), ...args];
  const env = { PATH: process.env.PATH, DATABASE_URL: process.env.TEST_POSTGRES_URL };
  return promisify(execFile)(process.execPath, script, { env }).then(
    ({ stdout }) => ({ exitCode: 0, output: stdout }),
    ({ code, stderr }) => ({ exitCode: code, output: stderr }),
  );
}

// `npm run check` checks that the migrations match the current schema.
test('a field without a migration fails the check and prints the missing SQL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drift-'));
  const schema = await readFile(join(__dirname, '..', 'prisma', 'schema.prisma'), 'utf8');
  const changed = join(folder, 'schema.prisma');
  await writeFile(changed, schema.replace('model Project {', 'model Project {\n  nickname String?'));
  const { exitCode, output } = await runDrift(changed);
  expect(exitCode).toBe(2);
  expect(output).toMatch(/ALTER TABLE "project" ADD COLUMN +"nickname" TEXT;/);
  await rm(folder, { recursive: true });
});
