import { isIPv4, isIPv6 } from 'node:net';
import express, { type Express, type Request } from 'express';
import { groupsOf, mappedIpv4, translatedIpv4 } from '../outbound/embedded-ipv4';

/**
 * Trusts `X-Forwarded-For` from these proxies (addresses, networks or `loopback`), even if it lists them with a port.
 */
export function trustProxies(app: Express, proxies: readonly string[]): void {
  app.set('trust proxy', proxies);
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn');
  // Express passes no address if the connection is already gone.
  app.set('trust proxy', (address: string | undefined, hop: number) =>
    address === undefined ? false : trusts(plainAddress(address) ?? address, hop),
  );
}

/** Whether `trustProxies` accepts this list. Express parses it, so Express is asked. */
export function canBeTrusted(proxies: readonly string[]): boolean {
  try {
    express().set('trust proxy', proxies);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the client's address as reported by the trusted proxies: without port, brackets and zone, and as IPv4 if it
 * is IPv4-mapped. Falls back to the proxy's own address if it reports none, and to null if the connection is gone.
 */
export function clientAddress(request: Request): string | null {
  return plainAddress(request.ip ?? '') ?? plainAddress(request.socket.remoteAddress ?? '') ?? null;
}

/**
 * Returns the key by which rate limits count an address: an IPv4 address itself, or the /64 network of an IPv6 address,
 * since that is the least a customer gets (RFC 6177) and every request could use another address of it. An IPv6 address
 * derived from an IPv4 address counts as the latter: translators map all of IPv4 into one /64 (RFC 6052), and 6to4
 * gives one IPv4 address 65,536 of them (RFC 3056).
 */
export function countedAddress(address: string | null): string {
  if (address === null) return 'unknown';
  if (!isIPv6(address)) return address;
  return translatedIpv4(address) ?? `${hexadecimal(groupsOf(address).slice(0, 4))}::/64`;
}

/**
 * Parses an address as proxies write it: `203.0.113.8`, `203.0.113.8:50001`, `2001:db8::1`, `[2001:db8::1]`,
 * `[2001:db8::1]:50001` (RFC 7239, section 6, and common usage in `X-Forwarded-For`). Returns one spelling per address,
 * or undefined for anything else.
 */
function plainAddress(text: string): string | undefined {
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(bare) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(bare) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? bare).split('%', 1);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  return mappedIpv4(address) ?? new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

const hexadecimal = (groups: number[]) => groups.map((group) => group.toString(16)).join(':');
