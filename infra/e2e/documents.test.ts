import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeIn } from './guide';
import { operatorKey } from './service-process';
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

const end = 'end of getting started';

/** Runs the commands of getting started, then these, in one bash that stops at the first failure; resolves to what the latter print. */
async function afterGettingStarted(...commands: string[]): Promise<string> {
  const env = { ...process.env, CONTROL_PLANE_URL: services.controlPlane.url, PLAYBACK_URL: services.playback.url };
  const script = [codeIn('getting-started', 'sh'), `echo ${end}`, ...commands].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], { cwd: folder, env });
  return stdout.slice(stdout.indexOf(end) + end.length).trim();
}

test('the commands for backends and players work with the API client of getting started', async () => {
  const printed = await afterGettingStarted(
    codeIn('backend', 'sh', 'Credentials'),
    codeIn('backend', 'sh', 'Create a session'),
    codeIn('player', 'sh', 'Renew'),
    codeIn('player', 'sh', 'Release'),
    codeIn('backend', 'sh', 'Terminate'),
    codeIn('backend', 'sh', 'List active sessions'),
    codeIn('backend', 'sh', 'Evaluate a request'),
  );
  const evaluation = printed.slice(printed.indexOf('{"allowed"'));
  const [release, terminate, list] = printed.slice(0, -evaluation.length).trim().split('\n');
  expect([release, terminate]).toEqual(['204', '204']);
  expect(JSON.parse(list ?? '')).toEqual({ items: [], nextCursor: null });
  expect(JSON.parse(evaluation)).toMatchObject({ allowed: true, policy: { template: 'single-software' } });
});

test('every section with commands for backends and players was run above', () => {
  const sections = ['Credentials', 'Create a session', 'Terminate', 'List active sessions', 'Evaluate a request'];
  expect(sections.map((section) => codeIn('backend', 'sh', section)).join('\n')).toBe(codeIn('backend', 'sh'));
  expect(['Renew', 'Release'].map((section) => codeIn('player', 'sh', section)).join('\n')).toBe(
    codeIn('player', 'sh'),
  );
});

test('the commands of the catalog work in their order', async () => {
  const printed = await afterGettingStarted(codeIn('catalog', 'sh'));
  const audit = printed.split(/(?<=\})(?=\{)/).map((part) => part.split('\n').at(-1) ?? '');
  const lines = printed.slice(0, printed.indexOf('{')).trim().split('\n');
  expect(lines).toEqual([
    'editor',
    expect.stringMatching(/^[0-9a-f-]{36}$/),
    '60',
    expect.stringMatching(/^standard-/),
    'published',
    'archived',
    'active',
  ]);
  const [environment, viewers, blocked] = audit.map((text) => JSON.parse(text));
  expect(environment.items.map(({ action }: { action: string }) => action)).toEqual([
    'environment.update',
    'environment.update',
    'environment.update',
  ]);
  expect(viewers.items).toMatchObject([{ subject: '4711', status: 'blocked' }]);
  expect(blocked.items).toMatchObject([{ after: { status: 'blocked' } }]);
});

test('the commands for operators list the organizations that wait, and make one active', async () => {
  const { organizationId } = await services.register();
  const url = `${services.controlPlane.url}/api/v1/management/organizations/${organizationId}`;
  const headers = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json', 'If-Match': '*' };
  await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ status: 'suspended' }) });
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', codeIn('operator', 'sh', 'The operator')], {
    env: { ...process.env, CP: services.controlPlane.url, OPERATOR_KEY: operatorKey, ORGANIZATION: organizationId },
  });
  const [, , waiting = '', approved = ''] = stdout.split('\n');
  expect(JSON.parse(waiting)).toMatchObject({ items: [], total: 0 });
  expect(JSON.parse(approved)).toMatchObject({ organizationId, status: 'active' });
});
