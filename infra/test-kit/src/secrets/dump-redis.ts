import type { Redis } from 'ioredis';

/** Reads a value of each type that the product uses, in the client's text of it. */
const readers: Record<string, (redis: Redis, key: string) => Promise<Buffer[]>> = {
  string: async (redis, key) => [(await redis.getBuffer(key)) ?? Buffer.alloc(0)],
  list: (redis, key) => redis.lrangeBuffer(key, 0, -1),
  zset: (redis, key) => redis.zrangeBuffer(key, 0, '-1'),
  set: (redis, key) => redis.smembersBuffer(key),
  hash: async (redis, key) => (await redis.callBuffer('HGETALL', key)) as Buffer[],
};

/** Returns every key of a Redis server with its value: one line each, bytes as in Latin-1. */
export async function dumpRedis(redis: Redis): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keysBuffer('*')) {
    const name = key.toString();
    const type = await redis.type(name);
    const read = readers[type];
    if (read === undefined) {
      if (type === 'none') continue; // it has expired since
      throw new Error(`a value of the type ${type} cannot be searched`);
    }
    const values = await read(redis, name);
    lines.push([key, ...values].map((bytes) => bytes.toString('latin1')).join('\t'));
  }
  return lines.join('\n');
}
