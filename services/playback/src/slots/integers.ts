/** Gives the value back; throws a RangeError with the name for what is no integer of the range. */
export function requireInteger(name: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be an integer from ${minimum} to ${maximum}`);
}
