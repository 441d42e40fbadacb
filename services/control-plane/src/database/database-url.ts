/**
 * Parses a URL of PostgreSQL as `pg` does. One without a host is valid if its parameters name one, such as the folder of a Unix socket:
 * `postgresql://user:password@/database?host=/cloudsql/project:region:instance`.
 */
function parseDatabaseUrl(text: string): URL | undefined {
  if (!/^postgres(ql)?:\/\//i.test(text)) return undefined;
  if (URL.canParse(text)) return new URL(text);
  const withHost = text.replace('@/', '@localhost/');
  if (!URL.canParse(withHost)) return undefined;
  const url = new URL(withHost);
  return url.searchParams.get('host') ? url : undefined;
}

export const isDatabaseUrl = (text: string): boolean => parseDatabaseUrl(text) !== undefined;

/** What the operator is told if it is none. */
export const databaseUrlMessage = 'must be an absolute URL with postgresql: or postgres:';

/** The schema that the URL names, such as `…/database?schema=app`; undefined: that of the connection's `search_path`. */
export function schemaOfUrl(text: string): string | undefined {
  return parseDatabaseUrl(text)?.searchParams.get('schema') || undefined;
}
