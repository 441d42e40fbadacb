import { execFileSync } from 'node:child_process';
import { pageFolder } from './page-script';

/** Returns what the page says for each code. */
export function readPageWords(codes: string[]): Record<string, string> {
  const program = `import { reasonOf } from './words.mjs';
    console.log(JSON.stringify(Object.fromEntries(process.argv.slice(1).map((code) => [code, reasonOf(code)]))));`;
  const options = { cwd: pageFolder, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program, ...codes], options));
}
