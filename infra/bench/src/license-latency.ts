import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LicenseTransport } from '@multi-drm/license-backends';
import { AddressGuard, parseAllowList } from '@multi-drm/service-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';

/**
 * Compares, interleaved in one run, how long an environment's license requests take alone and while another environment's license
 * server hangs under load. Starts both license servers in a separate process: one answers after 5 ms, the other never. Fails if
 * the median or the 95th percentile exceeds 1.5 × the value alone.
 *
 *   pnpm --filter @multi-drm/bench run license-latency
 */

const parallel = 8;
const answerMilliseconds = 5;
/** Requests to the hanging server per 10 ms. */
const hangingInBurst = 5;
const bound = 1.5;

interface Scenario {
  name: string;
  rounds: number;
  requestsInRound: number;
  timeoutMilliseconds: number;
  failuresToOpen: number;
}

const scenarios: Scenario[] = [
  // A short time-out, so that in each round the backend hangs and the circuit opens and closes.
  { name: 'with the circuit breaker', rounds: 4, requestsInRound: 1_500, timeoutMilliseconds: 500, failuresToOpen: 5 },
  // Only the connection limits protect, as for a backend that hangs now and then. Each round outlasts the service's time-out.
  {
    name: 'without it',
    rounds: 2,
    requestsInRound: 9_000,
    timeoutMilliseconds: 5_000,
    failuresToOpen: Number.POSITIVE_INFINITY,
  },
];

interface Urls {
  steady: string;
  hanging: string;
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function serve(): Promise<void> {
  const license = Buffer.alloc(2_048);
  const urls: Urls = {
    steady: await listen((request, response) => {
      request.resume();
      setTimeout(() => response.end(license), answerMilliseconds);
    }),
    hanging: await listen((request) => request.resume()),
  };
  process.send?.(urls);
}

const body = Buffer.alloc(4_096);
const owner = (environmentId: string) => ({ environmentId, drmSystem: 'widevine' as const, httpAllowed: true });

/** Measures the milliseconds of each request of a round. */
async function measure(transport: LicenseTransport, url: string, requests: number): Promise<number[]> {
  const times: number[] = [];
  let left = requests;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const since = performance.now();
      await transport.send(owner('steady'), () => ({ url, headers: {}, body }));
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return times;
}

/** Sends requests to the hanging server until stopped; returns the outcomes. */
function load(transport: LicenseTransport, url: string): () => Map<string, number> {
  const outcomes = new Map<string, number>();
  const burst = () => {
    for (let n = 0; n < hangingInBurst; n += 1) {
      transport
        .send(owner('hanging'), () => ({ url, headers: {}, body }))
        .catch(({ message }: Error) => {
          outcomes.set(message, (outcomes.get(message) ?? 0) + 1);
        });
    }
  };
  const timer = setInterval(burst, 10);
  return () => {
    clearInterval(timer);
    return outcomes;
  };
}

async function compare(urls: Urls, scenario: Scenario): Promise<void> {
  const { name, rounds, requestsInRound, ...limits } = scenario;
  const transport = new LicenseTransport({
    guard: new AddressGuard(parseAllowList('127.0.0.1').allowed),
    maximumConnections: 64,
    maximumWaiting: 128,
    openMilliseconds: 200,
    ...limits,
  });
  const alone: number[] = [];
  const beside: number[] = [];
  const outcomes = new Map<string, number>();
  await measure(transport, urls.steady, requestsInRound);
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await measure(transport, urls.steady, requestsInRound)));
    const stop = load(transport, urls.hanging);
    beside.push(...(await measure(transport, urls.steady, requestsInRound)));
    for (const [message, count] of stop()) outcomes.set(message, (outcomes.get(message) ?? 0) + count);
  }
  transport.close();
  console.log(name);
  for (const [message, count] of outcomes) console.log(`hanging: ${String(count).padStart(6)} × ${message}`);
  for (const [label, share] of [
    ['median', 0.5],
    ['95 %', 0.95],
    ['99 %', 0.99],
  ] as const) {
    const [without, beneath] = [percentile(alone, share), percentile(beside, share)];
    const ratio = beneath / without;
    console.log(
      `${label.padEnd(8)} alone ${without.toFixed(2)} ms  beside a hanging backend ${beneath.toFixed(2)} ms  ${ratio.toFixed(2)} ×`,
    );
    if (share < 0.99 && !(ratio <= bound)) process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const servers = fork(__filename, ['servers']);
  const [urls] = (await once(servers, 'message')) as [Urls];
  for (const scenario of scenarios) await compare(urls, scenario);
  servers.kill();
}

(process.argv[2] === 'servers' ? serve() : main()).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
