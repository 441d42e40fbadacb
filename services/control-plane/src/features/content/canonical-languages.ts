/** Canonical BCP 47 tags without duplicates: `en-us` becomes `en-US`, `iw` becomes `he`. */
export function canonicalLanguages(tags: string[]): string[] {
  return [...new Set(tags.map(canonicalLanguage))];
}

function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag).join();
  } catch {
    // A RangeError: Intl supports neither private tags nor extended languages (`x-signs`, `zh-yue`). Their case has no
    // meaning.
    return tag.toLowerCase();
  }
}
