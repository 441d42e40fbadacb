import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadCore, pin } from './cores';

export interface BenchRequest {
  path: string;
  headers: Record<string, string>;
  /** `{unique}` stands for a text that differs in each request. */
  body?: string;
}

/** The request with this text in the place of `{unique}`. */
export function withUnique(request: BenchRequest, unique: string): BenchRequest {
  return request.body === undefined ? request : { ...request, body: request.body.replace('{unique}', unique) };
}

/** Requests to the processes of a server, sent in turn until `count` are answered. */
export interface LoadJob {
  urls: readonly string[];
  /** To all processes together. */
  connections: number;
  requests: BenchRequest[];
  count: number;
  /** A constant rate; without it, each connection sends the next request when it has an answer. */
  perSecond?: number;
  /** How many requests in a row have the same text in the place of `{unique}`; default: one. */
  perUnique?: number;
  /** Whether the result has the answers. */
  keepsAnswers?: boolean;
}

export interface LoadResult {
  seconds: number;
  /** Of each request, to the last byte of its answer. */
  milliseconds: number[];
  /** How many answers had which status. */
  statuses: Record<string, number>;
  /** The bodies of successful answers, in the order in which they came; none unless they were asked for. */
  answers: string[];
}

/** The process that sends all requests. */
export class LoadGenerator {
  private constructor(private readonly child: ChildProcess) {}

  static start(cores = loadCore): LoadGenerator {
    const child = fork(join(__dirname, 'load-process.ts'), { cwd: __dirname, execArgv: ['--import=tsx'] });
    pin(child.pid, cores);
    return new LoadGenerator(child);
  }

  async run(job: LoadJob): Promise<LoadResult> {
    const ended = new AbortController();
    const exit = once(this.child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('the load generator has ended');
    });
    exit.catch(() => undefined); // aborted
    this.child.send(job);
    try {
      const [result] = (await Promise.race([once(this.child, 'message'), exit])) as [LoadResult];
      return result;
    } finally {
      ended.abort();
    }
  }

  stop(): void {
    this.child.kill();
  }
}
