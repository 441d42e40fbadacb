import { promises as dns } from 'node:dns';

/** All addresses of a host name, IPv4 first. Throws where it has none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/**
 * Asks DNS itself. Unlike `dns.lookup` it takes none of the process's four worker threads, which a few names of slow
 * servers would hold for everybody; in turn it knows no `/etc/hosts`. Gives up after about 4 s.
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

/** Asks the system, with `/etc/hosts` and all: for hosts that the operator names. */
export const systemResolver: ResolveHost = async (hostname) => {
  const addresses = await dns.lookup(hostname, { all: true });
  return addresses.map(({ address }) => address);
};
