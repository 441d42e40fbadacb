import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { Redis } from 'ioredis';
import { everyCall, type Outage } from '../outage';

/** Runs one command on Redis directly, not through the link. */
async function command(stage: Stage, name: string, ...args: string[]): Promise<void> {
  const admin = new Redis(stage.redis.url);
  await admin.call(name, ...args);
  admin.disconnect();
}

const killed = async ({ redis }: Stage): Promise<void> => {
  redis.process.kill('SIGKILL');
  while (redis.process.signalCode === null) await sleep(5);
};

/** Outages of Redis after which everything is as before. During them, all calls fail with 503, or only creates do. */
export const redisOutages: Record<string, Outage> = {
  'redis-stopped': {
    begin: ({ redis }) => redis.stop(),
    end: ({ redis }) => redis.start(),
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-killed': { begin: killed, end: ({ redis }) => redis.start(), fails: everyCall, recoversWithin: 1_000 },
  'redis-silent': {
    begin: ({ redis }) => redis.link.silence(),
    end: ({ redis }) => redis.link.restore(),
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-failover-without-reset': {
    begin: ({ redis }) => redis.link.abandon(),
    end: () => undefined,
    lasts: 0,
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-hangs': {
    begin: ({ redis }) => void redis.process.kill('SIGSTOP'),
    end: ({ redis }) => void redis.process.kill('SIGCONT'),
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-loading': {
    begin: async (stage) => {
      await command(stage, 'EVAL', `for i = 1, 300000 do redis.call('SET', 'filler:' .. i, i) end`, '0');
      await killed(stage);
      // Not awaited: it resolves when Redis has loaded its data, but the outage begins when loading starts.
      void stage.redis.start();
    },
    lasts: 0,
    end: async (stage) => {
      while (!(await isLoaded(stage.redis.url))) await sleep(5);
    },
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-read-only': {
    begin: (stage) => command(stage, 'REPLICAOF', '127.0.0.1', '1'),
    end: (stage) => command(stage, 'REPLICAOF', 'NO', 'ONE'),
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-without-replicas': {
    begin: (stage) => command(stage, 'CONFIG', 'SET', 'min-replicas-to-write', '1'),
    end: (stage) => command(stage, 'CONFIG', 'SET', 'min-replicas-to-write', '0'),
    fails: everyCall,
    recoversWithin: 1_000,
  },
  'redis-full': {
    begin: (stage) => command(stage, 'CONFIG', 'SET', 'maxmemory', '1'),
    end: (stage) => command(stage, 'CONFIG', 'SET', 'maxmemory', '0'),
    fails: ['create'],
    recoversWithin: 1_000,
  },
};

async function isLoaded(url: string): Promise<boolean> {
  const probe = new Redis(url, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null });
  probe.on('error', () => undefined); // not listening yet
  try {
    await probe.connect();
    return (await probe.info('persistence')).includes('\nloading:0');
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}
