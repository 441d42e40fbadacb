import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** Runs a script that reads its arguments, of which one may be a name, and prints the name. */
function run(...args: string[]) {
  const module = pathToFileURL(require.resolve('../arguments.mjs')).href;
  const program = `const { readArguments } = await import('${module}'); console.log('ran', ...readArguments('usage: it', 1));`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, '--', ...args],
    {
      encoding: 'utf8',
    },
  );
  return [status, stdout, stderr];
}

test('npm scripts explain themselves, and do nothing if they do not understand an argument', () => {
  expect(run('name')).toEqual([0, 'ran name\n', '']);
  expect(run()).toEqual([0, 'ran\n', '']);
  expect(run('name', '--help')).toEqual([0, 'usage: it\n', '']);
  expect(run('--hlep')).toEqual([2, '', expect.stringMatching(/^Unknown option '--hlep'[\s\S]*\nusage: it\n$/)]);
  expect(run('one', 'two')).toEqual([2, '', 'Too many arguments: two\nusage: it\n']);
});
