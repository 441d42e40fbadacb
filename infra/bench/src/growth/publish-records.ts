import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';

const program = join(__dirname, '../../../../services/control-plane/dist/republish.js');

/** Has everything published with the operator's command; resolves to the number of documents and the seconds until none is left. */
export async function publishRecords(databaseUrl: string): Promise<{ documents: number; seconds: number }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const { stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return { documents: Number(stdout), seconds: await untilPublished(databaseUrl) };
}

/** Waits until no document is left to publish; resolves to the seconds since the call. */
async function untilPublished(databaseUrl: string): Promise<number> {
  const since = performance.now();
  for (;;) {
    const left = await runOnDatabase(databaseUrl, 'SELECT 1 FROM outbox_entry LIMIT 1');
    if (left.length === 0) return (performance.now() - since) / 1_000;
    await delay(100);
  }
}
