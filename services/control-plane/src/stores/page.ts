/** A part of a list. */
export interface Page {
  limit: number;
  offset: number;
}

/** The page of a validated query, whose values are integers or decimal digits. */
export function pageOf({ limit, offset }: { limit?: number | string | undefined; offset?: number | string }): Page {
  // Adding 0 turns `-0`, which is valid, into 0.
  return { limit: Number(limit ?? 50) + 0, offset: Number(offset ?? 0) + 0 };
}
