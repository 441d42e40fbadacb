import { isIPv4, isIPv6 } from 'node:net';
import express, { type Express, type Request } from 'express';
import { groupsOf, mappedIpv4, translatedIpv4 } from '../outbound/embedded-ipv4';

/** Believes `X-Forwarded-For` of these proxies (addresses, networks or `loopback`), also where it names them with a port. */
export function trustProxies(app: Express, proxies: readonly string[]): void {
  app.set('trust proxy', proxies);
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn');
  // Express asks with no address where the connection is gone by then.
  app.set('trust proxy', (address: string | undefined, hop: number) =>
    address === undefined ? false : trusts(plainAddress(address) ?? address, hop),
  );
}

/** Whether `trustProxies` takes these. Express reads them itself, so it is asked. */
export function canBeTrusted(proxies: readonly string[]): boolean {
  try {
    express().set('trust proxy', proxies);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where a request comes from, as far as the trusted proxies say: an address without port, brackets and zone, an
 * IPv4-mapped one as IPv4. Where a trusted proxy names no address it is the proxy's own; null once the connection is gone.
 */
export function clientAddress(request: Request): string | null {
  return plainAddress(request.ip ?? '') ?? plainAddress(request.socket.remoteAddress ?? '') ?? null;
}

/**
 * What an address is counted by: an IPv4 address by itself, an IPv6 address by its network of 64 bits, which is what one
 * customer has at least (RFC 6177): whoever has it can take another address for each request. An IPv6 address that was
 * made of an IPv4 address counts as that one: translators put all of IPv4 into one network of 64 bits (RFC 6052), 6to4
 * gives one IPv4 address 65,536 of them (RFC 3056).
 */
export function countedAddress(address: string | null): string {
  if (address === null) return 'unknown';
  if (!isIPv6(address)) return address;
  return translatedIpv4(address) ?? `${hexadecimal(groupsOf(address).slice(0, 4))}::/64`;
}

/**
 * The address in what proxies write: `203.0.113.8`, `203.0.113.8:50001`, `2001:db8::1`, `[2001:db8::1]`,
 * `[2001:db8::1]:50001` (RFC 7239, section 6, and what is usual in `X-Forwarded-For`), one spelling for each address.
 * Undefined for anything else.
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
