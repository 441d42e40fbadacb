/**
 * IPv4 ranges that outbound requests must not reach: the IANA IPv4 Special-Purpose Address Registry (RFC 6890),
 * multicast (RFC 5771), and one public address that Azure uses internally.
 */
export const specialIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network, unspecified (RFC 791)
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // carrier-grade NAT (RFC 6598); Alibaba Cloud's metadata
  ['127.0.0.0', 8], // loopback (RFC 1122)
  ['169.254.0.0', 16], // link-local (RFC 3927); cloud metadata
  ['172.16.0.0', 12], // private (RFC 1918)
  ['192.0.0.0', 24], // IETF protocol assignments (RFC 6890); Oracle Cloud's metadata
  ['192.0.2.0', 24], // documentation (RFC 5737)
  ['192.31.196.0', 24], // AS112 (RFC 7535)
  ['192.52.193.0', 24], // AMT (RFC 7450)
  ['192.88.99.0', 24], // 6to4 relays, withdrawn (RFC 7526)
  ['192.168.0.0', 16], // private (RFC 1918)
  ['192.175.48.0', 24], // AS112 (RFC 7534)
  ['198.18.0.0', 15], // benchmarks (RFC 2544)
  ['198.51.100.0', 24], // documentation (RFC 5737)
  ['203.0.113.0', 24], // documentation (RFC 5737)
  ['224.0.0.0', 4], // multicast (RFC 5771)
  ['240.0.0.0', 4], // reserved, limited broadcast (RFC 1112, RFC 919)
  ['168.63.129.16', 32], // Azure's platform services, in every virtual network
];

/**
 * What IANA has allocated as global unicast; everything else is loopback, unique-local, link-local, multicast and so
 * on.
 */
export const globalIpv6 = ['2000::', 3] as const;

/**
 * Exceptions within it: the IANA IPv6 Special-Purpose Address Registry (RFC 6890). 6to4 is judged by its IPv4 address.
 */
export const specialIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // IETF protocol assignments: Teredo, benchmarks, ORCHID, AMT, AS112 (RFC 2928)
  ['2001:db8::', 32], // documentation (RFC 3849)
  ['2620:4f:8000::', 48], // AS112 (RFC 7534)
  ['3fff::', 20], // documentation (RFC 9637)
];
