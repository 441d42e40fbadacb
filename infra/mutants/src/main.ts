import { execFileSync } from 'node:child_process';
import { repositoryFolder as root, turbo } from '@multi-drm/local/repository';
import { apply, CannotApply, type Mutant } from './mutant';
import { mutants } from './mutants';
import { runSuite } from './run-suite';

/** `npm run mutants [-- name…]`: takes out every protection, or those named. Resolves to the exit code. */
export async function main(names: string[]): Promise<number> {
  const chosen = names.length === 0 ? mutants : mutants.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) {
    console.error(`There is no mutant ${unknown.join(', ')}. There are: ${mutants.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const changed = uncommitted([...new Set(chosen.map(({ file }) => file))]);
  if (changed !== '') {
    console.error(`Commit these files first, so that nothing of yours is lost:\n${changed}`);
    return 2;
  }
  const { command, environment } = turbo('generate');
  execFileSync(command[0], command.slice(1), { cwd: root, env: environment, stdio: 'inherit' });
  const rows: string[] = [];
  let failures = 0;
  for (const mutant of chosen) {
    const outcome = await outcomeOf(mutant);
    if (!outcome.caught) failures += 1;
    rows.push(`| ${mutant.name} | ${outcome.text} |`);
    console.log(`${rows.at(-1)}`);
  }
  console.log(`\n| Name | Caught by |\n| --- | --- |\n${rows.join('\n')}\n`);
  console.log(failures === 0 ? 'Every mutant was caught.' : `${failures} mutants were not caught.`);
  return failures === 0 ? 0 : 1;
}

function uncommitted(files: string[]): string {
  return execFileSync('git', ['status', '--porcelain', '--', ...files], { cwd: root, encoding: 'utf8' });
}

async function outcomeOf(mutant: Mutant): Promise<{ caught: boolean; text: string }> {
  let restore: () => void;
  try {
    restore = apply(mutant, root);
  } catch (error) {
    if (error instanceof CannotApply) return { caught: false, text: `NOT APPLIED: ${error.message}` };
    throw error;
  }
  let jest: number | undefined;
  const stop = () => {
    if (jest !== undefined) process.kill(jest, 'SIGTERM');
    process.exit(130);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  process.once('exit', restore);
  for (const signal of signals) process.on(signal, stop);
  try {
    const result = await runSuite(mutant.suite, (pid) => {
      jest = pid;
    });
    if ('error' in result) return { caught: false, text: `NO TEST RAN: ${oneLine(result.error)}` };
    if (result.caughtBy === null) return { caught: false, text: `SURVIVED: ${mutant.protection}` };
    return { caught: true, text: oneLine(result.caughtBy) };
  } finally {
    for (const signal of signals) process.off(signal, stop);
    process.off('exit', restore);
    restore();
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
