/** Letters in which an unknown variable may differ from the one that is meant. Of a short name, two letters make another word. */
const maximumWrongLetters = (name: string): number => (name.length < 6 ? 1 : 2);

/**
 * A warning for each environment variable that the service does not read, but whose name is almost that of a setting. `known`: the
 * settings of the service.
 */
export function misspelledSettings(
  environment: Record<string, string | undefined>,
  known: readonly string[],
): string[] {
  const isKnown = new Set(known);
  return Object.keys(environment)
    .filter((name) => environment[name] !== '' && !isKnown.has(name))
    .flatMap((name) => {
      const meant = known.find((setting) => wrongLetters(name.toUpperCase(), setting) <= maximumWrongLetters(setting));
      return meant === undefined ? [] : [`${name} is not a setting, and is ignored: ${meant} may be meant`];
    });
}

/**
 * How many letters are missing, too many, wrong or exchanged with the next (optimal string alignment distance); 3 for names whose lengths
 * differ by more than two.
 */
function wrongLetters(given: string, meant: string): number {
  if (Math.abs(given.length - meant.length) > 2) return 3;
  // The rows of the table of distances between the beginnings of both names.
  let beforeLast: number[] = [];
  let last = Array.from({ length: meant.length + 1 }, (_, index) => index);
  for (let i = 1; i <= given.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= meant.length; j += 1) {
      const isSame = given[i - 1] === meant[j - 1];
      const isExchanged = i > 1 && j > 1 && given[i - 1] === meant[j - 2] && given[i - 2] === meant[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[meant.length] ?? 0;
}
