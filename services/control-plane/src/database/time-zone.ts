/**
 * Sent once on every connection. Prisma's adapter reads and writes times as UTC, whatever zone the server, the database or
 * the role is set to. Poolers keep this setting with the client; an option at the start of a connection they may refuse.
 */
export const setTimeZoneToUtc = "SET TIME ZONE 'UTC'";
