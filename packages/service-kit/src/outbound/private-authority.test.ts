import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSelfSignedCertificate, observedProcess } from '@multi-drm/test-kit';

const folder = mkdtempSync(join(tmpdir(), 'authority-'));
const authority = join(folder, 'authority.pem');
let server: Server;

beforeAll(async () => {
  const { certificate: cert, privateKey: key } = makeSelfSignedCertificate();
  writeFileSync(authority, cert);
  server = createServer({ cert, key }, (_request, response) => response.end('reached'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Calls the server in a process with these variables. */
async function callServer(variables: Record<string, string>): Promise<string> {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const args = [...observedProcess.args(join(__dirname, 'testing/call-server.ts')), url];
  const env = { PATH: process.env.PATH, ...observedProcess.environment, ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout.trim();
}

test('a license server or an issuer with a certificate of a private authority is trusted only if NODE_EXTRA_CA_CERTS names it', async () => {
  expect(await callServer({ NODE_EXTRA_CA_CERTS: authority })).toBe('reached');
  expect(await callServer({})).toBe('unreachable');
});
