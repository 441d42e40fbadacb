import type { Outcome } from './outcome';

const titles = ['scenario', 'requests', 'failed', 'over-admitted', 'lost slots', 'seconds to recover', 'promises'];
const widths = [37, 9, 8, 14, 11, 19, 8];

export const tableHead = (): string => line(titles);

export function tableRow(name: string, outcome: Outcome): string {
  const { requests, failed, overAdmitted = 0, lostSlots = 0, recoveryMilliseconds, broken } = outcome;
  const recovery = recoveryMilliseconds === undefined ? '-' : (recoveryMilliseconds / 1_000).toFixed(2);
  return line([name, requests, failed, overAdmitted, lostSlots, recovery, broken.length === 0 ? 'held' : 'BROKEN']);
}

/** Formats violated guarantees and figures, to be shown below the row. */
export function details({ broken, notes = [] }: Outcome): string {
  return [...notes, ...broken].map((text) => `    ${text}`).join('\n');
}

function line(cells: (string | number)[]): string {
  return cells.map((cell, index) => String(cell).padEnd(widths[index] ?? 0)).join(' ');
}
