/** The keys of all these servers that match a pattern, sorted. */
export async function keysLike(
  servers: { keys(pattern: string): Promise<string[]> }[],
  pattern: string,
): Promise<string[]> {
  return (await Promise.all(servers.map((server) => server.keys(pattern)))).flat().sort();
}
