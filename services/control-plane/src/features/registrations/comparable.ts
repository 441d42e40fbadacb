/** A text as it is compared: Unicode form NFKC, lower case, trimmed, each run of white space one space. */
export function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ');
}
