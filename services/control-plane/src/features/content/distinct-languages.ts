/**
 * BCP 47 tags as they were given, each language once: its first tag. Players compare the tags with those of the manifest, so
 * `eng` must not become `en`.
 */
export function distinctLanguages(tags: string[]): string[] {
  const byLanguage = new Map<string, string>();
  for (const tag of tags) {
    const language = canonicalLanguage(tag);
    if (!byLanguage.has(language)) byLanguage.set(language, tag);
  }
  return [...byLanguage.values()];
}

/** The same text for equivalent tags (RFC 5646, section 4.5): `en-US` for `EN-us`, `he` for `iw`, `en` for `eng`. */
function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag).join();
  } catch {
    // A RangeError: Intl supports neither private tags nor extended languages (`x-signs`, `zh-yue`). Their case has no
    // meaning.
    return tag.toLowerCase();
  }
}
