/** Vendors' clocks run behind at times, and refuse what seems to come from the future. */
const backdateSeconds = 30;

/** From issue to expiry: a token is minted for one request and sent at once. */
const lifetimeSeconds = 300;

/** When a vendor token minted now is valid; whole seconds since 1970. */
export function vendorTokenTimes(now: Date): { issuedAt: number; expiresAt: number } {
  const issuedAt = Math.floor(now.getTime() / 1000) - backdateSeconds;
  return { issuedAt, expiresAt: issuedAt + lifetimeSeconds };
}

/** RFC 3339, UTC, without fractions. */
export function withoutFraction(secondsSince1970: number): string {
  return new Date(secondsSince1970 * 1000).toISOString().replace('.000Z', 'Z');
}
