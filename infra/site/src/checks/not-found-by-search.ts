/**
 * The problem codes that the search box does not find: whose heading on the page of problems is not its first result. `results`: the
 * addresses of the sections that it finds for each code, best first.
 */
export function notFoundBySearch(codes: string[], results: Record<string, string[]>): string[] {
  return codes.filter((code) => results[code]?.[0] !== `/problems.html#${code}`);
}
