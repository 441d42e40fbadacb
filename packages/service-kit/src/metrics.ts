import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from './logger';

/** A request that was answered or aborted. */
export interface AnsweredRequest {
  method: string;
  /** Path template of the operation, such as `/api/v1/plans`, or `none`. */
  route: string;
  /** HTTP status, or `aborted`. */
  status: number | 'aborted';
  durationMilliseconds: number;
}

/** In seconds. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of a process for Prometheus: memory, CPU and event loop, its requests, and the counters and gauges added to it. */
export class Metrics {
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly readers: (() => Promise<void>)[] = [];
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly requests: Counter<'method' | 'route' | 'status'>;

  constructor(private readonly logger: Logger) {
    this.contentType = this.registry.contentType;
    collectDefaultMetrics({ register: this.registry });
    const labelNames = ['method', 'route', 'status'] as const;
    const registers = [this.registry];
    this.requests = new Counter({ name: 'http_requests_total', help: 'Requests answered.', labelNames, registers });
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames,
      buckets: durationBuckets,
      registers,
    });
  }

  /** Counts a request. Pass it to `requestContext` as `onAnswered`. */
  readonly countRequest = ({ method, route, status, durationMilliseconds }: AnsweredRequest): void => {
    const labels = { method, route, status: String(status) };
    this.requests.inc(labels);
    this.durations.observe(labels, durationMilliseconds / 1000);
  };

  /** Adds a counter. Returns a function that adds one to it. */
  addCounter(name: string, help: string): () => void {
    const counter = new Counter({ name, help, registers: [this.registry] });
    return () => counter.inc();
  }

  /**
   * Adds gauges, by name and help text, whose values are read together at each scrape. If reading fails, the values are
   * NaN and a warning is logged.
   */
  addGauges<Name extends string>(help: Record<Name, string>, read: () => Promise<Record<Name, number>>): void {
    const names = Object.keys(help) as Name[];
    const gauges = new Map(
      names.map((name) => [name, new Gauge({ name, help: help[name], registers: [this.registry] })]),
    );
    this.readers.push(async () => {
      const values = await read().catch((error: unknown) => {
        this.logger.warn('could not read gauges', { gauges: names.join(' '), error });
        return undefined;
      });
      for (const [name, gauge] of gauges) gauge.set(values?.[name] ?? Number.NaN);
    });
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    await Promise.all(this.readers.map((reader) => reader()));
    return this.registry.metrics();
  }
}
