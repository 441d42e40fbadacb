/** Significant digits that every number of JavaScript can be written with. */
const fractionDigits = 17;

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** A number as its significant digits and the power of ten behind them: equal for equal numbers. */
function decimalOf(text: string): { sign: string; digits: string; exponent: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberForm.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  // No regular expression: one for zeros at the end is quadratic in zeros before another digit.
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return { sign: '', digits: '', exponent: 0 };
  return { sign, digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + all.length - end };
}

/**
 * Whether a number in a JSON text is still the same once it is parsed. A whole number must be so to the last digit. A
 * fraction, which as a rule has no exact form, must have no more digits than a number of JavaScript tells apart.
 */
export function isKeptExactly(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const given = decimalOf(text);
  const isFraction = given.exponent < 0;
  if (isFraction && given.digits.length <= fractionDigits) return value !== 0;
  const kept = decimalOf(String(value));
  return given.sign === kept.sign && given.digits === kept.digits && given.exponent === kept.exponent;
}
