import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { observedProcess } from '@multi-drm/test-kit';

type Entry = Record<string, unknown>;

/** Runs `stoppable-service.ts` as a separate process and collects its log entries. */
export class ServiceProcess {
  readonly entries: Entry[] = [];
  /** Everything written to standard error; normally empty. */
  stderr = '';
  private readonly logged = new EventEmitter();
  private readonly process: ChildProcess;
  private readonly ended: Promise<number | null>;

  /** `descriptors`: how many the process may have. */
  constructor(environment: Record<string, string> = {}, descriptors?: number) {
    const command = [process.execPath, ...observedProcess.args(join(__dirname, 'stoppable-service.ts'))];
    const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
    this.process = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
      env: { PATH: process.env.PATH, ...observedProcess.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.process;
    if (stdout === null || stderr === null) throw new Error('the process has no pipes');
    stderr.on('data', (part: Buffer) => {
      this.stderr += part.toString();
    });
    createInterface({ input: stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as Entry;
      this.entries.push(entry);
      this.logged.emit(String(entry.message), entry);
    });
    this.ended = once(this.process, 'close').then(([code]) => code as number | null);
  }

  /** Resolves to the first log entry with this message, past or future. */
  async entry(message: string): Promise<Entry> {
    const found = this.entries.find((entry) => entry.message === message);
    return found ?? ((await once(this.logged, message))[0] as Entry);
  }

  /** Resolves to the address of the service once it listens. */
  async url(): Promise<string> {
    const { port } = await this.entry('listening');
    return `http://127.0.0.1:${port}`;
  }

  /** Stops reading a stream of the process, like a log reader that has exited. */
  closeReader(name: 'stdout' | 'stderr'): void {
    this.process[name]?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  /** Resolves to the exit code, or null if a signal ended the process. */
  async exitCode(): Promise<number | null> {
    return this.ended;
  }
}
