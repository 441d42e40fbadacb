import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withParentDeathSignal } from '@multi-drm/local/child-process';
import { findFreePort } from '@multi-drm/local/ports';
import { repositoryFolder } from '@multi-drm/local/repository';
import { observedProcess } from '../secrets/observed-process';

/** The operator key of every control plane started here. */
export const operatorKey = 'op_operator-key-of-the-tests';

/** The secret key of every control plane and playback started here. */
export const secretKey = { id: 'test', key: randomBytes(32) };

/** The value of their `SECRET_KEYS`, which holds it. */
export const secretKeys = `${secretKey.id}:${secretKey.key.toString('base64')}`;

/** License servers of tests listen on loopback; `npm start` allows the same. */
const allowedHosts = 'localhost,127.0.0.1';

/** Settings of a single process. */
export interface ServiceOptions {
  /** Variables that override those of the tests. */
  environment?: Record<string, string>;
  /** Options of Node, such as a module to load before the service. */
  nodeOptions?: string[];
  /** The root folder of another checkout, whose build is run; default: this checkout. */
  checkout?: string | undefined;
}

/** Creates a value of LICENSE_TOKEN_KEYS, for processes that must accept each other's tokens. */
export function makeLicenseTokenKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
}

/** The settings that name the Redis at a URL, or the Redis servers that settings name already. */
const redisSettings = (redis: string | Record<string, string>): Record<string, string> =>
  typeof redis === 'string' ? { REDIS_URL: redis } : redis;

const running = new Set<ChildProcess>();
// A program that fails while it prepares services stops none of them.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * A service in its own process, run from source, or from its build with RUN_BUILT=1 or of another checkout. It keeps its port when
 * restarted.
 */
export class ServiceProcess {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly name: string,
    readonly url: string,
    private readonly environment: Record<string, string>,
    private readonly options: ServiceOptions,
  ) {}

  static async controlPlane(
    databaseUrl: string,
    redis: string | Record<string, string>,
    options: ServiceOptions = {},
  ): Promise<ServiceProcess> {
    const port = await findFreePort();
    const environment = {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      ...redisSettings(redis),
      OPERATOR_KEYS: `test:${createHash('sha256').update(operatorKey).digest('hex')}`,
      SECRET_KEYS: secretKeys,
      OUTBOUND_ALLOWED_HOSTS: allowedHosts,
      WEBHOOK_ALLOWED_HOSTS: allowedHosts,
      REGISTRATION: 'open',
      ...options.environment,
    };
    return new ServiceProcess('control-plane', `http://127.0.0.1:${port}`, environment, options);
  }

  static async playback(redis: string | Record<string, string>, options: ServiceOptions = {}): Promise<ServiceProcess> {
    const port = await findFreePort();
    const environment = {
      PORT: String(port),
      ...redisSettings(redis),
      SECRET_KEYS: secretKeys,
      OUTBOUND_ALLOWED_HOSTS: allowedHosts,
      PLAYBACK_PUBLIC_URL: `http://127.0.0.1:${port}`,
      LICENSE_TOKEN_KEYS: makeLicenseTokenKeys(),
      ...options.environment,
    };
    return new ServiceProcess('playback', `http://127.0.0.1:${port}`, environment, options);
  }

  /** The process id; undefined while the service is not running. */
  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Resolves when the service is ready. */
  async start(): Promise<void> {
    const [file = '', ...args] = [...withParentDeathSignal('SIGTERM'), process.execPath, ...this.program()];
    const child = spawn(file, args, {
      env: {
        ...observedProcess.environment,
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        SHUTDOWN_DELAY_MILLISECONDS: '0',
        ...this.environment,
      },
      // The test run captures the log.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    for (;;) {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`${this.name} ended with ${end}`);
      const ready = await fetch(`${this.url}/api/v1/health/ready`).then(
        ({ ok }) => ok,
        () => false, // not listening yet
      );
      if (ready) return;
      await delay(50);
    }
  }

  private program(): string[] {
    const { nodeOptions = [], checkout } = this.options;
    const service = join(checkout ?? repositoryFolder, 'services', this.name);
    if (checkout !== undefined || process.env.RUN_BUILT === '1') return [...nodeOptions, join(service, 'dist/main.js')];
    return [...nodeOptions, ...observedProcess.args(join(service, 'src/main.ts'))];
  }

  /** Suspends the process, like a hanging machine, until `resume`. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends the service with SIGKILL. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || this.pid === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    this.child = undefined;
  }

  /** Ends the service with SIGTERM; resolves to its exit code. */
  async stop(): Promise<number | null> {
    const { child } = this;
    if (child === undefined || this.pid === undefined) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await exit;
    return code;
  }
}
