import { Problem } from '@multi-drm/contracts';

/** What uses a record: records of one kind by name, or a count of those without names. */
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

const namesShown = 5;

/** How many names of a use are worth reading: one more than are shown. */
export const namesRead = namesShown + 1;

/** Throws `record_in_use`, which names what uses the record and ends with `advice`, unless nothing uses it. */
export function requireUnused(needs: Need[], advice?: string): void {
  const present = needs.filter((need) => ('count' in need ? need.count : need.names.length) > 0);
  if (present.length === 0) return;
  const detail = `Needed by ${present.map(described).join(' and ')}.`;
  throw new Problem('record_in_use', advice === undefined ? detail : `${detail} ${advice}`);
}

function described(need: Need): string {
  if ('count' in need) return `${need.count} ${need.noun}${need.count > 1 ? 's' : ''}`;
  const { noun, names } = need;
  const shown = names.slice(0, namesShown).map((name) => `"${name}"`);
  return `the ${noun}${names.length > 1 ? 's' : ''} ${shown.join(', ')}${names.length > namesShown ? ' and others' : ''}`;
}
