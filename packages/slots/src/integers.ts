/** Returns the value; throws a RangeError with the name if it is not an integer in the range. */
export function requireInteger(name: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be an integer from ${minimum} to ${maximum}`);
}
