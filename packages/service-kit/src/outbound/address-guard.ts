import { BlockList, isIP } from 'node:net';
import { type AllowList, parseAllowList } from './allow-list';
import { embeddedIpv4 } from './embedded-ipv4';
import { globalIpv6, specialIpv4, specialIpv6 } from './special-purpose-ranges';

const special = new BlockList();
for (const [network, prefix] of specialIpv4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of specialIpv6) special.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...globalIpv6, 'ipv6');

/**
 * Decides which addresses a request may reach if somebody else supplied its URL: public ones, and those that the
 * operator allows (server-side request forgery: OWASP SSRF prevention, CWE-918). Does no I/O; names are resolved
 * elsewhere.
 */
export class AddressGuard {
  constructor(private readonly allowed: AllowList = parseAllowList('').allowed) {}

  /** Whether the operator listed the host name, so that it may resolve to any address. */
  allowsHost(hostname: string): boolean {
    return this.allowed.hosts.has(hostname.toLowerCase().replace(/\.$/, ''));
  }

  /** Whether the operator listed a URL's host (IPv6 in brackets): its name, or the address that it is. */
  lists(hostname: string): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    const version = isIP(host);
    if (version === 0) return this.allowsHost(host);
    return this.allowed.networks.check(host, version === 4 ? 'ipv4' : 'ipv6');
  }

  /**
   * Whether a URL's host (IPv6 in brackets) is an address literal that must not be connected to. Always false for
   * names.
   */
  refusesLiteral(hostname: string): boolean {
    // The URL parser has already normalized forms such as 2130706433 to 127.0.0.1.
    const host = hostname.replace(/^\[|\]$/g, '');
    return isIP(host) !== 0 && this.refuses(host);
  }

  /** Whether a resolved address must not be connected to. Also true for text that is not an address. */
  refuses(address: string): boolean {
    const version = isIP(address);
    // A zone (RFC 4007) names a link of this machine, so the address is never public.
    if (version === 0 || address.includes('%')) return true;
    if (this.allowed.networks.check(address, version === 4 ? 'ipv4' : 'ipv6')) return false;
    if (version === 4) return special.check(address, 'ipv4');
    const embedded = embeddedIpv4(address);
    if (embedded !== undefined) return this.refuses(embedded);
    return !globalUnicast.check(address, 'ipv6') || special.check(address, 'ipv6');
  }
}
