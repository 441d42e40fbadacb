/** A session as JSON shows it: its times in RFC 3339, UTC, with milliseconds. */
export function withTimeTexts<Session extends { startedAt: Date; expiresAt: Date }>({
  startedAt,
  expiresAt,
  ...session
}: Session) {
  return { ...session, startedAt: startedAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
