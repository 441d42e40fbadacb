import { Redis } from 'ioredis';
import type { RedisServers } from './redis-servers';

export type SentinelServers = Extract<RedisServers, { kind: 'sentinel' }>;

/** How long a Sentinel may take to answer, in milliseconds. */
const answerTimeout = 300;

/** Milliseconds between two rounds of questions. */
const leastInterval = 1_000;

interface NamedPrimaryOptions {
  /** Asks all Sentinels. Resolves to the addresses in their answers. Does not reject. */
  ask: () => Promise<string[]>;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/**
 * Finds out whether the Sentinels still name the primary that a client is connected to. A primary may be cut off from its replicas and the
 * Sentinels, but not from the client. It then never learns that another one was promoted, and only refuses writes because it has no
 * replicas.
 */
export class NamedPrimary {
  /** `host:port` of the server to which the client connects. */
  private connected: string | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: NamedPrimaryOptions) {}

  /** Call it with each address that a Sentinel names when the client connects. */
  note(address: string): void {
    this.connected = address;
  }

  /**
   * Resolves to whether most Sentinels name another primary. Asks them at most once a second, and otherwise resolves to false: a primary
   * whose replicas are merely slow refuses many writes.
   */
  async isReplaced(): Promise<boolean> {
    const { ask, now = performance.now.bind(performance) } = this.options;
    if (now() - this.askedAt < leastInterval) return false;
    this.askedAt = now();
    const { connected } = this;
    const named = await ask();
    const others = named.filter((address) => address !== connected);
    // The client may have reconnected meanwhile.
    return this.connected === connected && 2 * others.length > named.length;
  }
}

/** Asks all Sentinels at the same time which primary they name, as `host:port`; leaves out those that do not answer. */
export async function primariesNamedBy(servers: SentinelServers): Promise<string[]> {
  const answers = await Promise.allSettled(servers.sentinels.map((sentinel) => primaryNamedBy(servers, sentinel)));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value !== null ? [answer.value] : []));
}

async function primaryNamedBy(
  { primaryName, sentinelCredentials, tls }: SentinelServers,
  sentinel: SentinelServers['sentinels'][number],
): Promise<string | null> {
  const client = new Redis({
    ...sentinel,
    ...sentinelCredentials,
    ...(tls === undefined ? {} : { tls }),
    connectTimeout: answerTimeout,
    commandTimeout: 2 * answerTimeout,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  // The command fails too.
  client.on('error', () => undefined);
  try {
    const answer: unknown = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName);
    return Array.isArray(answer) ? answer.join(':') : null;
  } finally {
    client.disconnect();
  }
}
