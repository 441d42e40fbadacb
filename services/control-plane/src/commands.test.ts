import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromSource } from '@multi-drm/test-kit';

// Without settings, so that a program that goes on ends with another message.
const run = (program: string, args: string[], environment: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [...fromSource(join(__dirname, program)), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

const programs: [string, string][] = [
  ['migrate.ts', 'usage: node dist/migrate.js'],
  ['republish.ts', 'usage: node dist/republish.js [--missing]'],
  ['rotate-secrets.ts', 'usage: node dist/rotate-secrets.js'],
  ['main.ts', 'usage: node dist/main.js'],
  ['../../playback/src/main.ts', 'usage: node dist/main.js'],
];

test.each(programs)(
  '%s refuses an argument that it does not know, explains itself, and does nothing else',
  async (program, usage) => {
    const { code, stdout, stderr } = await run(program, ['--hlep']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Unknown option '--hlep'/);
    expect(stderr).toContain(`${usage}\n`);
  },
  60_000,
);

test('--help explains a command on the standard output, and does nothing else', async () => {
  expect(await run('rotate-secrets.ts', ['--help'])).toEqual({
    code: 0,
    stdout: expect.stringContaining('usage: node dist/rotate-secrets.js\n'),
    stderr: '',
  });
});

test('a command names a misspelled setting before it goes on', async () => {
  const { code, stderr } = await run('migrate.ts', [], { DATABASE_DIRCT_URL: 'postgresql://postgres' });
  expect([code, stderr.split('\n')]).toEqual([
    1,
    [
      'DATABASE_DIRCT_URL is not a setting, and is ignored: DATABASE_DIRECT_URL may be meant',
      'migration failed: DATABASE_URL is required',
      '',
    ],
  ]);
});
