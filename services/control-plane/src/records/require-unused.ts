import { Problem } from '@multi-drm/contracts';

/** Records of one kind that need another. */
export interface Need {
  /** Such as `license profile`. */
  noun: string;
  names: string[];
}

const namesTold = 5;

/** How many names of a need are worth reading: one more than are told. */
export const namesRead = namesTold + 1;

/** Throws `record_in_use`, which names what needs the record, unless nothing does. */
export function requireUnused(needs: Need[]): void {
  const present = needs.filter(({ names }) => names.length > 0);
  if (present.length > 0) throw new Problem('record_in_use', `Needed by ${present.map(described).join(' and ')}.`);
}

function described({ noun, names }: Need): string {
  const told = names.slice(0, namesTold).map((name) => `"${name}"`);
  return `the ${noun}${names.length > 1 ? 's' : ''} ${told.join(', ')}${names.length > namesTold ? ' and others' : ''}`;
}
