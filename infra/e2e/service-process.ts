import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort, observedProcess } from '@multi-drm/local/testing';

/** The operator's key of every control plane started here. */
export const operatorKey = 'op_operator-key-of-the-tests';

/** What every control plane started here encrypts secrets under, and every playback decrypts them with. */
const secretKeys = `test:${randomBytes(32).toString('base64')}`;

/** License servers of tests listen on loopback; `npm start` allows the same. */
const allowedHosts = 'localhost,127.0.0.1';

const root = join(__dirname, '../..');

/** A service as a process of its own, run from source. It keeps its port over a restart. */
export class ServiceProcess {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly name: string,
    readonly url: string,
    private readonly environment: Record<string, string>,
  ) {}

  static async controlPlane(databaseUrl: string, redisUrl: string): Promise<ServiceProcess> {
    const port = await findFreePort();
    return new ServiceProcess('control-plane', `http://127.0.0.1:${port}`, {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      OPERATOR_KEYS: `test:${createHash('sha256').update(operatorKey).digest('hex')}`,
      SECRET_KEYS: secretKeys,
      OUTBOUND_ALLOWED_HOSTS: allowedHosts,
      REGISTRATION: 'open',
    });
  }

  static async playback(redisUrl: string): Promise<ServiceProcess> {
    const port = await findFreePort();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return new ServiceProcess('playback', `http://127.0.0.1:${port}`, {
      PORT: String(port),
      REDIS_URL: redisUrl,
      SECRET_KEYS: secretKeys,
      OUTBOUND_ALLOWED_HOSTS: allowedHosts,
      PLAYBACK_PUBLIC_URL: `http://127.0.0.1:${port}`,
      LICENSE_TOKEN_KEYS: JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }),
    });
  }

  /** Resolves when the service is ready. */
  async start(): Promise<void> {
    const program = observedProcess.args(join(root, 'services', this.name, 'src/main.ts'));
    const child = spawn(process.execPath, program, {
      env: {
        ...observedProcess.environment,
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        SHUTDOWN_DELAY_MILLISECONDS: '0',
        ...this.environment,
      },
      // The run keeps the log.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.child = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended with ${child.exitCode}`);
      const ready = await fetch(`${this.url}/api/v1/health/ready`).then(
        ({ ok }) => ok,
        () => false, // not listening yet
      );
      if (ready) return;
      await delay(50);
    }
  }

  /** Ends the service by SIGKILL, in the middle of whatever it is doing. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    this.child = undefined;
  }

  /** Ends the service by SIGTERM; resolves to its exit code. */
  async stop(): Promise<number | null> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await exit;
    return code;
  }
}
