import { BlockList, isIP } from 'node:net';

/** Destinations that the operator allows although their addresses are not public. */
export interface AllowList {
  /** Lower case, without a trailing dot. */
  hosts: ReadonlySet<string>;
  networks: BlockList;
}

/**
 * Whether a text is a host name. Allows underscores, as Docker does. The last label must not be a number: that would be
 * an address.
 */
function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= 253 &&
    labels.every((label) => /^[a-z0-9_-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-')) &&
    !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  );
}

/**
 * Parses host names, addresses and CIDRs, separated by commas: `drm.internal, 10.1.0.0/16, fd00::/8`. Reports every
 * invalid entry. A host name allows only itself, not its subdomains.
 */
export function parseAllowList(text: string): { allowed: AllowList; errors: string[] } {
  const hosts = new Set<string>();
  const networks = new BlockList();
  const errors: string[] = [];
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue;
    const network = networkOf(entry);
    if (network !== undefined) networks.addSubnet(network.address, network.prefix, network.family);
    else if (isHostName(entry)) hosts.add(entry);
    else errors.push(`"${entry.slice(0, 100)}" is not a host name, an IP address or a CIDR`);
  }
  return { allowed: { hosts, networks }, errors };
}

/** Parses an address or CIDR; returns undefined for anything else. */
function networkOf(entry: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', prefix, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const bits = version === 4 ? 32 : 128;
  if (prefix === undefined) return { address, prefix: bits, family };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined;
  return { address, prefix: Number(prefix), family };
}
