/**
 * Sent once on every connection. Prisma's adapter reads and writes times as UTC, whatever zone the server, database or
 * role is set to. Poolers keep this setting per client, but may reject it as a startup option.
 */
export const setTimeZoneToUtc = "SET TIME ZONE 'UTC'";
