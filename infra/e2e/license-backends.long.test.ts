import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type ControlPlaneSchemas, controlPlaneDocument } from '@multi-drm/contracts';
import { findFreePort, secretsOfRequest } from '@multi-drm/test-kit';
import { codeIn } from '@multi-drm/test-kit/documents/guide';
import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';
import type { Customer } from '@multi-drm/test-kit/services/customer';
import { type StartedServices, startServices } from './started-services';

// The unchanged commands from the document on license backends, in a folder as `npm start` leaves it.

let services: StartedServices;
let customer: Customer;
let folder: string;

jest.setTimeout(120_000);

beforeAll(async () => {
  services = await startServices();
  customer = await services.register();
  folder = mkdtempSync(join(tmpdir(), 'license-backends-'));
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local/quickstart.json'), JSON.stringify(customer.quickstart()));
  writeFileSync(
    join(folder, 'certificate.der'),
    Buffer.from((await drmSystem('fairplay')).certificate ?? '', 'base64'),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const drmSystem = (name: ControlPlaneSchemas['DrmSystem']) =>
  customer.manage<ControlPlaneSchemas['DrmSystemConfigurationResponse']>(
    'GET',
    `/environments/${customer.siteId}/drm-systems/${name}`,
  );

/** Runs the commands of the sections in one bash, in order; resolves to the lines of their output. */
async function run(...headings: string[]): Promise<string[]> {
  const script = headings.map((heading) => codeIn('license-backends', 'sh', heading)).join('\n');
  const env = { ...process.env, LICENSE_SERVER_PORT: String(await findFreePort()) };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], { cwd: folder, env, timeout: 60_000 });
  return stdout.trim().split('\n');
}

test('each command to configure a license backend is accepted, those after it pause and remove one, and none shows a secret', async () => {
  const { certificate } = await drmSystem('fairplay');
  const lines = (await run('Configure', 'Pause or remove')).map((line) => JSON.parse(line));
  const commands = codeIn('license-backends', 'sh', 'Configure').matchAll(/^configure (\w+) '.*?"type": "([\w-]+)"/gms);
  const expected = [...commands].map(([, drmSystem, type]) => [drmSystem, true, type]);
  const answers = lines.slice(0, expected.length);
  expect(answers.map(({ drmSystem, enabled, backend }) => [drmSystem, enabled, backend?.type])).toEqual(expected);
  const { LicenseBackendType } = controlPlaneDocument.components.schemas as { LicenseBackendType: { enum: string[] } };
  expect(expected.map(([, , type]) => type).sort()).toEqual([...LicenseBackendType.enum].sort());
  expect(answers.find(({ drmSystem }) => drmSystem === 'fairplay')?.certificate).toBe(certificate);
  expect(secretsOfRequest(JSON.stringify(lines))).toEqual([]);
  // It keeps its settings while it is paused, until they are removed.
  expect(lines.at(-1)).toMatchObject({ drmSystem: 'widevine', enabled: false, backend: { type: 'clearkey' } });
  expect(await drmSystem('widevine')).toMatchObject({ enabled: false, backend: null });
});

test('a test of ClearKey responds as documented, and licenses come from a license server and from ClearKey, repeatedly', async () => {
  for (let round = 0; round < 2; round += 1) {
    const printed = await run('Configure', 'Test', 'Try a license');
    const lines = printed.slice(-6);
    expect(JSON.parse(printed.at(-7) ?? '')).toEqual(JSON.parse(codeIn('license-backends', 'json', 'Test')));
    const keys = lines.pop() ?? '';
    expect(lines).toEqual(['published', 'http', 'The license server returned a license.', 'CAISAA==', 'clearkey']);
    expect((await drmSystem('widevine')).backend).toEqual({ type: 'clearkey' });
    expect(JSON.parse(keys)).toEqual({
      keys: [{ kty: 'oct', k: 'ABEiM0RVZneImaq7zN3u_w', kid: expect.stringMatching(/^[\w-]{22}$/) }],
      type: 'temporary',
    });
  }
});

/** Sends the commands to an interactive shell, as if pasted, with `change` in between; resolves to its last output. */
async function paste(change: string, port: number): Promise<{ stdout: string; stopped: string[] | null }> {
  const env = { ...process.env, LICENSE_SERVER_PORT: String(port) };
  const shell = spawn('bash', ['--norc', '-i'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const [configure, tryLicense] = ['Configure', 'Try a license'].map((heading) =>
    codeIn('license-backends', 'sh', heading),
  );
  const ask = codeIn('license-backends', 'sh', 'Test');
  shell.stdin.end(`${configure}\n${ask}\n${change}\n${tryLicense}\necho still open\n`);
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  return { stdout: stdout.slice(stdout.lastIndexOf('start\n')), stopped: stderr.match(/^stopped: .*$/gm) };
}

test('the commands stop at a missing response, name it and leave the shell open', async () => {
  const { stdout, stopped } = await paste(`echo start; CP=${services.playback.url}`, await findFreePort());
  expect(stdout).toBe('start\nstill open\n');
  expect(stopped).toEqual([
    expect.stringMatching(/^stopped: no contentAssetId in the answer: .*"code":"route_not_found"/),
  ]);
});

test('the commands stop at a missing license and show the problem', async () => {
  const other = await startHttpServer((_request, response) => response.end('{}'));
  const { stdout, stopped } = await paste('echo start', Number(new URL(other).port));
  expect(stdout.split('\n').slice(1, 3)).toEqual(['published', 'http']);
  expect(stdout).toMatch(/\nstill open\n$/);
  expect(stopped).toEqual([expect.stringMatching(/^stopped: no license in the answer: .*"code":"license_backend_/)]);
});
