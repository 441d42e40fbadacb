import { promises as dns } from 'node:dns';

/** Resolves a host name to all its addresses, IPv4 first. Throws if it has none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/**
 * Queries DNS directly. Unlike `dns.lookup`, this takes none of the process's four worker threads, which a few names
 * with slow servers would block for everybody; but it does not read `/etc/hosts`. Gives up after about 4 s.
 */
export function dnsResolver(): ResolveHost {
  const resolver = new dns.Resolver({ timeout: 1_500, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failed = answers.find((answer) => answer.status === 'rejected');
    throw failed?.reason ?? new Error('no address');
  };
}

/** Uses the system's resolver, including `/etc/hosts`: for hosts that the operator lists. */
export const systemResolver: ResolveHost = async (hostname) => {
  const addresses = await dns.lookup(hostname, { all: true });
  return addresses.map(({ address }) => address);
};
