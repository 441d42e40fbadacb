import { runOnDatabase, withDatabase } from '@multi-drm/local/databases';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine } from '@multi-drm/local/terminal-output';
import { refusedEncodings, usableKinds } from '../servers/database-kinds';
import { migrateDatabase } from '../servers/template-database';
import { makeRunFolder, removeRunFolder, startTestPostgres } from '../servers/test-servers';
import { generateCode } from './generate-code';
import { runJest } from './run-jest';

/**
 * `npm run databases [-- kind…]`, after the packages are installed: runs the suites of the control plane on databases as other hosts set
 * them up, and checks that databases of other encodings are refused. Resolves to the exit code.
 */
export async function main(chosen: string[]): Promise<number> {
  const known = [...refusedEncodings, ...Object.keys(usableKinds)];
  const unknown = chosen.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    printLine(`Unknown: ${unknown.join(', ')}. Kinds: ${known.join(', ')}`);
    return 2;
  }
  const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name);
  const stop = watchForStop();
  const failed: string[] = [];
  await generateCode(stop);
  for (const encoding of refusedEncodings.filter(isChosen)) {
    printLine(`\n== ${encoding}`);
    if (!(await isRefused(encoding))) failed.push(encoding);
  }
  for (const kind of Object.keys(usableKinds).filter(isChosen)) {
    printLine(`\n== ${kind}`);
    process.env.TEST_DATABASE = kind;
    const count = await runJest(['services/control-plane/src'], stop);
    printLine(`${count.passed} passed, ${count.failed} failed`);
    if (count.failed > 0 || count.passed === 0) failed.push(kind);
  }
  printLine(failed.length === 0 ? '\nAll as expected.' : `\nFailed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** Whether the migrations, and with them every suite, refuse a database of this encoding by its name. Prints what they say. */
async function isRefused(encoding: string): Promise<boolean> {
  const folder = makeRunFolder();
  try {
    const server = (await startTestPostgres(folder)).url('postgres');
    await runOnDatabase(
      server,
      `CREATE DATABASE foreign_encoding ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
    );
    const said = await migrateDatabase(withDatabase(server, 'foreign_encoding')).then(
      () => 'migrated',
      (error: unknown) => String(error),
    );
    printLine(said);
    return said.includes(`the encoding of the database is ${encoding}`);
  } finally {
    await removeRunFolder(folder);
  }
}
