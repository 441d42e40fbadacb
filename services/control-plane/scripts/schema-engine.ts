import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import { CatalogAdapter } from './catalog-adapter';

/** The part of Node's global that is used here; Node 20's type definitions lack it. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const noFilters = { externalTables: [], externalEnums: [] };

/**
 * The SQL that turns the database at `databaseUrl` into the Prisma schema in `schemaPath`; empty if they agree.
 * Replaces `prisma migrate diff`, whose engine is a binary to download: this is the same engine as WebAssembly.
 */
export async function sqlToReachSchema(databaseUrl: string, schemaPath: string): Promise<string> {
  await startEngineModule();
  const schema = { path: schemaPath, content: await readFile(schemaPath, 'utf8') };
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => undefined, // the engine's own log
    bindMigrationAwareSqlAdapterFactory(new CatalogAdapter(databaseUrl)),
  );
  const { exitCode, stdout } = await engine.diff({
    from: { tag: 'schemaDatasource', files: [schema], configDir: dirname(schemaPath) },
    to: { tag: 'schemaDatamodel', files: [schema] },
    script: true,
    exitCode: true,
    filters: noFilters,
  });
  return exitCode === 0 ? '' : (stdout ?? '');
}

/** What the package's own entry point does where a loader imports WebAssembly, which Node does not. */
async function startEngineModule(): Promise<void> {
  const folder = dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': { ...engineModule } });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== 'function') throw new Error('the schema engine has no start function');
  start();
}
