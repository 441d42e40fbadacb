/**
 * Normalizes a text for comparison: Unicode NFKC without invisible format characters, lower case, trimmed, and each run
 * of white space as one space.
 */
export function comparisonKey(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
    .trim()
    .replaceAll(/\s+/g, ' ');
}
