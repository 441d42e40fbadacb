import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeIn } from '@multi-drm/test-kit/documents/guide';
import { operatorKey } from '@multi-drm/test-kit/services/service-process';
import { type StartedServices, startServices } from './started-services';

// The unchanged commands of the documents, with what getting started leaves in the shell, and nothing else.

let services: StartedServices;
let folder: string;

jest.setTimeout(120_000);

beforeAll(async () => {
  services = await startServices();
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs commands of documents in one bash that stops at the first failure; resolves to what each block prints. */
async function run(blocks: string[], environment: Record<string, string>): Promise<string[]> {
  const end = 'end of a block';
  const script = blocks.flatMap((block) => [block, `echo; echo ${end}`]).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  return stdout.split(`\n${end}\n`).map((printed) => printed.trim());
}

test('the commands for backends, players and the catalog work after those of getting started', async () => {
  const urls = { CONTROL_PLANE_URL: services.controlPlane.url, PLAYBACK_URL: services.playback.url };
  const [, , , , release, terminate, list = '', evaluation = '', catalog = '', support = '', usage = ''] = await run(
    [
      codeIn('getting-started', 'sh'),
      codeIn('backend', 'sh', 'Credentials'),
      codeIn('contract-v1', 'sh', 'Create a session'),
      codeIn('player', 'sh', 'Renew'),
      codeIn('player', 'sh', 'Release'),
      codeIn('contract-v1', 'sh', 'Release'),
      codeIn('contract-v1', 'sh', 'List of active sessions'),
      codeIn('contract-v1', 'sh', 'Evaluations'),
      codeIn('catalog', 'sh'),
      codeIn('support', 'sh'),
      codeIn('usage', 'sh'),
    ],
    urls,
  );
  expect([release, terminate]).toEqual(['204', '204']);
  expect(JSON.parse(list)).toEqual({ items: [], nextCursor: null });
  expect(JSON.parse(evaluation)).toMatchObject({ allowed: true, policy: { template: 'single-software' } });

  const lines = catalog.split('\n').filter((line) => line !== '');
  const [environment, viewers, blocked] = lines.splice(-3).map((line) => JSON.parse(line));
  expect(lines).toEqual([
    'editor',
    expect.stringMatching(/^mk_/),
    expect.stringMatching(/^ak_/),
    expect.stringMatching(/^ak_/),
    '60',
    expect.stringMatching(/^standard-/),
    'published',
    'archived',
    'active',
  ]);
  expect(environment.items.map(({ action }: { action: string }) => action)).toEqual([
    'environment.update',
    'environment.update',
    'environment.update',
  ]);
  expect(viewers.items).toMatchObject([{ subject: '4711', status: 'blocked' }]);
  expect(blocked.items).toMatchObject([{ after: { status: 'blocked' } }]);

  const [events = '', sessions = '', asked = '', ended = '', ...statuses] = support
    .split('\n')
    .filter((line) => line !== '');
  // The viewer was only synchronized.
  expect([JSON.parse(events).nextCursor, JSON.parse(sessions).items]).toEqual([null, []]);
  expect(JSON.parse(asked)).toMatchObject({ allowed: false, code: 'subject_blocked' });
  expect(JSON.parse(ended)).toEqual({ sessionIds: [] });
  expect(statuses.map((answer) => JSON.parse(answer).status)).toEqual(['blocked', 'active']);

  const [days, month, live] = usage.split('\n').map((line) => JSON.parse(line));
  expect(days).toMatchObject({ interval: 'day', groupBy: null, gaps: [] });
  expect(month).toMatchObject({ interval: 'month', groups: [], omittedGroups: 0 });
  expect(live.limits).toContainEqual({ name: 'projects', used: 1, limit: 20, status: 'below' });
});

test('every section with commands for backends and players was run above', () => {
  const sections = ['Create a session', 'Release', 'List of active sessions', 'Evaluations'];
  expect(sections.map((section) => codeIn('contract-v1', 'sh', section)).join('\n')).toBe(codeIn('contract-v1', 'sh'));
  expect(codeIn('backend', 'sh', 'Credentials')).toBe(codeIn('backend', 'sh'));
  expect(['Renew', 'Release'].map((section) => codeIn('player', 'sh', section)).join('\n')).toBe(
    codeIn('player', 'sh'),
  );
});

test('the commands for operators list the organizations that wait, and make one active', async () => {
  const { organizationId } = await services.register();
  const url = `${services.controlPlane.url}/api/v1/management/organizations/${organizationId}`;
  const headers = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json', 'If-Match': '*' };
  await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ status: 'suspended' }) });
  const [printed = ''] = await run([codeIn('operator', 'sh', 'The operator')], {
    CP: services.controlPlane.url,
    OPERATOR_KEY: operatorKey,
    ORGANIZATION: organizationId,
  });
  const [, , waiting = '', approved = ''] = printed.split('\n');
  expect(JSON.parse(waiting)).toMatchObject({ items: [], total: 0 });
  expect(JSON.parse(approved)).toMatchObject({ organizationId, status: 'active' });
});
