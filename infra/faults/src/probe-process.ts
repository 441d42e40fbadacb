import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from './probe';

const everyMilliseconds = 5;

/** Uses one persistent connection, so that only the service itself causes delays. */
async function probe(url: string, agent: Agent): Promise<Probe> {
  const sentAt = Date.now();
  const since = performance.now();
  const status = await new Promise<number>((resolve) => {
    get(`${url}/api/v1/health/live`, { agent }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });
  return { url, sentAt, milliseconds: performance.now() - since, status };
}

async function probeAllTheTime(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    // The channel may close while a probe is under way.
    process.send?.(await probe(url, agent), undefined, undefined, (error) => {
      if (error !== null) process.exit();
    });
    await sleep(everyMilliseconds);
  }
}

process.on('disconnect', () => process.exit());
for (const url of process.argv.slice(2)) void probeAllTheTime(url);
