import { Problem } from '@multi-drm/contracts';
import { type Need, namesShown } from '../stores/needed-by';

/**
 * Throws `record_in_use`, unless nothing uses the record. The error text says how many records use it, names the first
 * ten, says which list shows the others, and ends with `advice`.
 */
export function requireUnused(needs: Need[], advice?: string): void {
  const present = needs.filter(({ count }) => count > 0);
  if (present.length === 0) return;
  const lists = present.flatMap((need) =>
    'names' in need && need.count > namesShown ? [`${need.list} lists all.`] : [],
  );
  const sentences = [
    `Needed by ${present.map(described).join(' and ')}.`,
    ...lists,
    ...(advice === undefined ? [] : [advice]),
  ];
  throw new Problem('record_in_use', sentences.join(' '));
}

function described(need: Need): string {
  const { noun, count } = need;
  const counted = `${count} ${noun}${count > 1 ? 's' : ''}`;
  if (!('names' in need)) return counted;
  const shown = need.names.map((name) => `"${name}"`);
  if (count === 1) return `the ${noun} ${shown[0]}`;
  const others = count > namesShown ? ` and ${count - namesShown} more` : '';
  return `${counted} (${shown.join(', ')}${others})`;
}
