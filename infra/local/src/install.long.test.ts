import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'));
  mkdirSync(join(root, 'infra/local'), { recursive: true });
  copyFileSync(join(__dirname, '../install.mjs'), join(root, 'infra/local/install.mjs'));
  write('package.json', JSON.stringify({ packageManager: 'pnpm@1.2.3+sha512.abc' }));
  write('pnpm-workspace.yaml', 'packages:\n  - infra/*\n');
  write('pnpm-lock.yaml', 'lock');
  write('infra/local/package.json', JSON.stringify({ dependencies: {} }));
  fakeNpx('mkdir -p infra/local/node_modules');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

/** Replaces npx with a script that records its arguments and then runs this. */
function fakeNpx(script: string): void {
  mkdirSync(join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'bin/npx'), `#!/bin/sh\necho "$@" >> "${root}/calls"\n${script}\n`, { mode: 0o755 });
}

function install(scope: 'all' | 'start' = 'all'): { status: number | null; output: string } {
  const program = `const { install } = await import('./infra/local/install.mjs'); await install('${scope}'); console.log('done');`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: [join(root, 'bin'), process.env.PATH].join(delimiter), NODE_ENV: 'production' },
  });
  return { status: result.status, output: result.stdout + result.stderr };
}

const calls = (): string[] =>
  existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];

test('the packages are installed once, with the pnpm that package.json names, including development dependencies', () => {
  expect(install()).toMatchObject({ status: 0, output: expect.stringMatching(/pnpm@1\.2\.3\ndone/) });
  expect(install()).toEqual({ status: 0, output: 'done\n' });
  expect(calls()).toEqual(['-y pnpm@1.2.3 install --frozen-lockfile --prod=false']);
});

test('npm start installs no development dependencies, npm test adds them, and npm start then keeps them', () => {
  write('infra/local/package.json', JSON.stringify({ devDependencies: {} }));
  fakeNpx('');
  for (let run = 1; run <= 2; run += 1) expect(install('start')).toMatchObject({ status: 0 });
  fakeNpx('mkdir -p infra/local/node_modules');
  for (const scope of ['all', 'start'] as const) expect(install(scope)).toMatchObject({ status: 0 });
  write('pnpm-lock.yaml', 'changed');
  expect(install('start')).toMatchObject({ status: 0 });
  expect(calls()).toEqual(
    ['true', 'false', 'false'].map((prod) => `-y pnpm@1.2.3 install --frozen-lockfile --prod=${prod}`),
  );
});

test.each(['package.json', 'pnpm-lock.yaml', 'infra/local/package.json'])(
  'a changed %s causes a new installation',
  (name) => {
    install();
    write(name, `${readFileSync(join(root, name), 'utf8')} `);
    install();
    expect(calls()).toHaveLength(2);
  },
);

test('a removed node_modules folder causes a new installation', () => {
  install();
  rmSync(join(root, 'infra/local/node_modules'), { recursive: true });
  install();
  expect(calls()).toHaveLength(2);
});

test('a failed installation prints possible solutions, and the next command tries again', () => {
  fakeNpx('echo no registry; exit 7');
  expect(install()).toEqual({ status: 1, output: expect.stringMatching(/no registry[^$]*pnpm ended with 7/) });
  expect(install().output).not.toContain('done');
  fakeNpx('mkdir -p infra/local/node_modules');
  expect(install()).toMatchObject({ status: 0 });
});

test('the lock of a killed installation is taken over', () => {
  mkdirSync(join(root, 'node_modules'));
  const { pid } = spawnSync('true');
  write('node_modules/.installing', String(pid));
  expect(install()).toMatchObject({ status: 0 });
  expect(existsSync(join(root, 'node_modules/.installing'))).toBe(false);
});
