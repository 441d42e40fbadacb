import { Problem } from '@multi-drm/contracts';

/** What needs a record: records of one kind by their names, or a number of what has none. */
export type Need = NamedNeed | CountedNeed;

interface NamedNeed {
  /** Such as `license profile`. */
  noun: string;
  names: string[];
}

interface CountedNeed {
  /** Such as `active session`. */
  noun: string;
  count: number;
}

const namesTold = 5;

/** How many names of a need are worth reading: one more than are told. */
export const namesRead = namesTold + 1;

/** Throws `record_in_use`, which names what needs the record and ends with `advice`, unless nothing does. */
export function requireUnused(needs: Need[], advice?: string): void {
  const present = needs.filter((need) => ('count' in need ? need.count : need.names.length) > 0);
  if (present.length === 0) return;
  const detail = `Needed by ${present.map(described).join(' and ')}.`;
  throw new Problem('record_in_use', advice === undefined ? detail : `${detail} ${advice}`);
}

function described(need: Need): string {
  if ('count' in need) return `${need.count} ${need.noun}${need.count > 1 ? 's' : ''}`;
  const { noun, names } = need;
  const told = names.slice(0, namesTold).map((name) => `"${name}"`);
  return `the ${noun}${names.length > 1 ? 's' : ''} ${told.join(', ')}${names.length > namesTold ? ' and others' : ''}`;
}
