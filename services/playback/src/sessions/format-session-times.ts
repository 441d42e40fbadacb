/** Returns the session with its times formatted as RFC 3339 in UTC, with milliseconds. */
export function withFormattedTimes<Session extends { startedAt: Date; expiresAt: Date }>({
  startedAt,
  expiresAt,
  ...session
}: Session) {
  return { ...session, startedAt: startedAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
