import { Problem } from '@multi-drm/contracts';
import { type Need, namesRead } from '../stores/needed-by';

const namesShown = namesRead - 1;

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
