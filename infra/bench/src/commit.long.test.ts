import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@multi-drm/test-kit';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import { installAndBuild, withCommit } from './commit';

let repository: string;

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const { status, stdout, stderr } = spawnSync('git', ['-C', repository, ...who, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const workTrees = () => git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'commits-'));
  git('init', '--quiet');
  mkdirSync(join(repository, 'infra/local'), { recursive: true });
  for (const [version, exitCode] of [
    ['first', 0],
    ['second', 3],
  ]) {
    writeFileSync(join(repository, 'version'), String(version));
    const installer = `export const install = () => process.exit(${exitCode});`;
    writeFileSync(join(repository, 'infra/local/install.mjs'), installer);
    git('add', '.');
    git('commit', '--quiet', '--message', `The ${version}`);
  }
});

afterEach(() => rmSync(repository, { recursive: true }));

const build = () => undefined;

test('another commit is built in a work tree of its own, which is removed afterwards', async () => {
  const built: string[] = [];
  const { folder, version } = await withCommit(
    'HEAD~1',
    async (commit) => {
      expect(commit.name).toBe(git('rev-parse', '--short', 'HEAD~1'));
      return { ...commit, version: readFileSync(join(commit.folder, 'version'), 'utf8') };
    },
    { repository, build: (at) => built.push(at) },
  );
  expect(version).toBe('first');
  expect(built).toEqual([folder]);
  expect(existsSync(folder)).toBe(false);
  expect(workTrees()).toBe(1);
});

test('the work tree is also removed if the measurement fails', async () => {
  const fails = () => Promise.reject(new Error('the measurement failed'));
  await expect(withCommit('HEAD', fails, { repository, build })).rejects.toThrow('the measurement failed');
  expect(workTrees()).toBe(1);
});

test.each(['no-such-branch', '--all', 'HEAD:version'])('%s is refused, because it names no commit', async (ref) => {
  const use = jest.fn<Promise<void>, []>();
  await expect(withCommit(ref, use, { repository, build })).rejects.toThrow(`"${ref}" names no commit`);
  expect(use).not.toHaveBeenCalled();
});

test('a commit whose packages cannot be installed is refused by name, and its work tree is removed', async () => {
  const hash = git('rev-parse', '--short', 'HEAD');
  const use = jest.fn<Promise<void>, []>();
  await expect(withCommit('HEAD', use, { repository, build: installAndBuild })).rejects.toThrow(
    `HEAD (${hash}) could not be built: the installation of its packages failed (exit code 3); see the output above.`,
  );
  expect(use).not.toHaveBeenCalled();
  expect(workTrees()).toBe(1);
});

test('a service of another checkout is run from its build', async () => {
  const dist = join(repository, 'services/playback/dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(
    join(dist, 'main.js'),
    `require('node:http').createServer((request, response) => response.end('other')).listen(process.env.PORT);`,
  );
  const redis = await startRedis();
  const service = await ServiceProcess.playback(redis.url, { checkout: repository });
  try {
    await service.start();
    expect(await (await fetch(service.url)).text()).toBe('other');
  } finally {
    await service.kill();
    await redis.stop();
  }
});
