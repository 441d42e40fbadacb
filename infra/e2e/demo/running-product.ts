import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@multi-drm/test-kit';
import { productFromSource } from '@multi-drm/test-kit/services/from-source';

const readyWithinMilliseconds = 100_000;

/** The part of quickstart.json that these tests use. */
interface Quickstart {
  demoUrl: string;
  controlPlaneUrl: string;
  playbackUrl: string;
  projectId: string;
  managementKey: string;
  environments: { development: string };
  content: { contentId: string; contentType: 'vod' };
  titles: { contentId: string; keys: Record<'video' | 'audio', { keyId: string; key: string }> }[];
  apiClient: { clientId: string; accessKey: string };
  eventsKey: string;
  processes: { controlPlane: number; playback: number };
}

/** Everything that `npm start` runs, from source and with separate data. */
export class RunningProduct {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly quickstart: Quickstart,
  ) {}

  /** Resolves when everything is ready. */
  static async start(): Promise<RunningProduct> {
    const folder = mkdtempSync(join(tmpdir(), 'demo-tests-'));
    const environment: NodeJS.ProcessEnv = { ...process.env, LOCAL_DATA_DIR: folder, DATABASE_URL: '', REDIS_URL: '' };
    for (const variable of ['CONTROL_PLANE_PORT', 'PLAYBACK_PORT', 'DEMO_PORT']) {
      environment[variable] = String(await findFreePort());
    }
    const child = spawn(process.execPath, productFromSource(), {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const file = join(folder, 'quickstart.json');
    for (const deadline = Date.now() + readyWithinMilliseconds; !existsSync(file); await delay(50)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`npm start was not ready:\n${output}`);
    }
    return new RunningProduct(child, folder, JSON.parse(readFileSync(file, 'utf8')) as Quickstart);
  }

  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exit;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
