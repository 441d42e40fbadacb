/** Vendors' clocks sometimes run behind, and vendors reject tokens from the future. */
const backdateSeconds = 30;

/** From issue to expiry: a token is created for one request and sent at once. */
const lifetimeSeconds = 300;

/** The validity of a vendor token created now, in whole seconds since 1970. */
export function vendorTokenTimes(now: Date): { issuedAt: number; expiresAt: number } {
  const issuedAt = Math.floor(now.getTime() / 1000) - backdateSeconds;
  return { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
}

/** Formats a time as RFC 3339 in UTC, without fractions. */
export function withoutFraction(secondsSince1970: number): string {
  return new Date(secondsSince1970 * 1000).toISOString().replace('.000Z', 'Z');
}
