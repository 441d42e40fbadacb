/** A cell: null is an empty one. */
export type Cell = string | number | null;

/** How spreadsheets recognize a formula, which may send the table elsewhere. Values such as content ids are chosen by callers. */
const formula = /^[=+\-@\t\r]/;

/**
 * Rows as CSV (RFC 4180). Texts that a spreadsheet would take for a formula get an apostrophe in front, as OWASP
 * recommends.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(textOf).join(',')}\r\n`).join('');
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
