/** The calls of the database client's own methods in a source text, such as `transaction.project.count(`. */
export function queriesIn(source: string): string[] {
  return source.match(/\$(?:queryRaw|executeRaw|transaction)|\b(?:transaction|database)\.\w+\.\w+\(/g) ?? [];
}
