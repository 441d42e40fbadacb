/** Part of a list. */
export interface Page {
  limit: number;
  offset: number;
}

/** The page of a validated query, whose values come as integers or as decimal digits. */
export function pageOf({ limit, offset }: { limit?: number | string; offset?: number | string }): Page {
  // Adding 0 makes 0 of `-0`, which is a valid way to write it.
  return { limit: Number(limit ?? 50) + 0, offset: Number(offset ?? 0) + 0 };
}
