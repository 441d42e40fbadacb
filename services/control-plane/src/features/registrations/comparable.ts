/** A text as it is compared: Unicode form NFKC without invisible format characters, lower case, trimmed, each run of white space one space. */
export function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
    .trim()
    .replaceAll(/\s+/g, ' ');
}
