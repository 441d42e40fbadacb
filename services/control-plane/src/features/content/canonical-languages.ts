/** BCP 47 tags in one form, each once: `en-us` becomes `en-US`, `iw` becomes `he`. */
export function canonicalLanguages(tags: string[]): string[] {
  return [...new Set(tags.map(canonicalLanguage))];
}

function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag).join();
  } catch {
    // A RangeError: Intl knows neither private tags nor extended languages (`x-signs`, `zh-yue`). Their case says nothing.
    return tag.toLowerCase();
  }
}
