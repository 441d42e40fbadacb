import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { observedProcess } from '@multi-drm/testing';

const root = join(__dirname, '../../..');

/** Migrates an empty database to the current schema, as an installation does, or to that of another checkout by its build. */
export async function migrateDatabase(databaseUrl: string, checkout?: string): Promise<void> {
  const service = join(checkout ?? root, 'services/control-plane');
  const program =
    checkout !== undefined || process.env.RUN_BUILT === '1'
      ? [join(service, 'dist/migrate.js')]
      : observedProcess.args(join(service, 'src/migrate.ts'));
  const child = spawn(process.execPath, program, {
    env: { ...observedProcess.environment, PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the migrations ended with ${code}`);
}
