/** A cell: null is an empty one. */
export type Cell = string | number | null;

/**
 * Where spreadsheets would find a formula, which may send the table elsewhere: values such as content ids are chosen by callers. Where commas
 * are in decimals, spreadsheets begin a new cell at a semicolon, whatever is quoted.
 */
const formula = /(^|;)(?=[=+\-@\t\r＝＋－＠])/g;

/**
 * Rows as CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe in front, as OWASP recommends.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(textOf).join(',')}\r\n`).join('');
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(formula, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
