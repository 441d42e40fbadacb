/** Significant digits that are enough to write any JavaScript number. */
const fractionDigits = 17;

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Splits a number into its significant digits and its power of ten: equal for equal numbers. */
function decimalOf(text: string): { sign: string; digits: string; exponent: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberForm.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  // A regular expression for trailing zeros would be quadratic in the number of zeros before another digit.
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return { sign: '', digits: '', exponent: 0 };
  return { sign, digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + all.length - end };
}

/**
 * Whether a number in JSON text keeps its value when parsed. An integer must match to the last digit. A fraction
 * usually has no exact form, so it may have as many digits as a JavaScript number can distinguish.
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const given = decimalOf(text);
  const isFraction = given.exponent < 0;
  if (isFraction && given.digits.length <= fractionDigits) return value !== 0;
  const kept = decimalOf(String(value));
  return given.sign === kept.sign && given.digits === kept.digits && given.exponent === kept.exponent;
}
