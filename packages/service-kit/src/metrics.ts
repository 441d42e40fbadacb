import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from './logger';

/** A request whose response was sent or aborted. */
export interface CompletedRequest {
  method: string;
  /** Path template of the operation, such as `/api/v1/plans`, or `none`. */
  route: string;
  /** HTTP status, or `aborted`. */
  status: number | 'aborted';
  /** The code of the problem in the response. */
  code: string | undefined;
  durationMilliseconds: number;
}

/** Name of a metric of this product. Those of the process and of Node keep the names that dashboards expect. */
export type MetricName = `multi_drm_${string}`;

/** In seconds. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** The methods of operations and of browsers' preflights. A caller can send many others, and each would be another series. */
const labeledMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The metrics of a process for Prometheus: memory, CPU and event loop, its requests, and the counters and gauges added to it. */
export class Metrics {
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly readers: (() => Promise<void>)[] = [];
  private readonly durations: Histogram<'method' | 'route'>;
  private readonly requests: Counter<'method' | 'route' | 'status' | 'code'>;

  constructor(private readonly logger: Logger) {
    this.contentType = this.registry.contentType;
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Counter({
      name: 'multi_drm_http_requests_total',
      help: 'Requests that were answered or aborted.',
      labelNames: ['method', 'route', 'status', 'code'],
      registers: [this.registry],
    });
    // Each pair of labels makes twelve series, so the problem is only a label of the counter.
    this.durations = new Histogram({
      name: 'multi_drm_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labelNames: ['method', 'route'],
      buckets: durationBuckets,
      registers: [this.registry],
    });
  }

  /** Counts a request, and the time that it took if it has a route. Pass it to `requestContext` as `onCompleted`. */
  readonly countRequest = ({
    method: sent,
    route,
    status,
    code = 'none',
    durationMilliseconds,
  }: CompletedRequest): void => {
    const method = labeledMethods.has(sent) ? sent : 'other';
    this.requests.inc({ method, route, status: String(status), code });
    if (route !== 'none') this.durations.observe({ method, route }, durationMilliseconds / 1000);
  };

  /** Adds a counter. Returns a function that adds one to it, or another number. */
  addCounter(name: MetricName, help: string): (count?: number) => void {
    const counter = new Counter({ name, help, registers: [this.registry] });
    return (count) => counter.inc(count);
  }

  /** Adds a counter for each value of a label. Returns a function that adds a number to that of a value. */
  addCounters<Value extends string>(
    name: MetricName,
    help: string,
    label: string,
    values: readonly Value[],
  ): (value: Value, count: number) => void {
    const counter = new Counter({ name, help, labelNames: [label], registers: [this.registry] });
    // So that a rate can be computed before the first event.
    for (const value of values) counter.inc({ [label]: value }, 0);
    return (value, count) => counter.inc({ [label]: value }, count);
  }

  /**
   * Adds gauges, by name and help text, whose values are read together at each scrape. If reading fails, the values are
   * NaN and a warning is logged.
   */
  addGauges<Name extends MetricName>(help: Record<Name, string>, read: () => Promise<Record<Name, number>>): void {
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
