import { type Import, tests } from './imports';

interface Arrow {
  from: string;
  to: string;
}

/**
 * Draws the rooms of a service, the folders below its `src`, as Mermaid: an arrow for each import that does not follow from others. The
 * files of `src` itself are one room. Tests do not count.
 */
export function drawRooms(service: string, imports: Import[]): string {
  const room = (path: string): string | undefined => {
    const [, folder, file] = new RegExp(`^services/${service}/src/(?:([^/]+)/.*|([^/]+))$`).exec(path) ?? [];
    if (folder === 'generated' || folder === 'testing') return undefined;
    return folder === undefined ? file && 'main' : folder;
  };
  const arrows = new Map<string, Arrow>();
  for (const { file, imported } of imports) {
    const [from, to] = [room(file), room(imported)];
    // Each room may read the settings' type, which does not count as a room.
    if (tests.test(file) || from === undefined || to === undefined || from === to || to === 'main') continue;
    arrows.set(`${from} ${to}`, { from, to });
  }
  const all = [...arrows.values()];
  const drawn = all.filter((arrow) => !reaches(all, arrow));
  return drawn
    .map(({ from, to }) => `    ${nodeOf(service, from)} --> ${nodeOf(service, to)}`)
    .sort()
    .join('\n');
}

/** Whether other arrows lead where this one does. */
function reaches(arrows: Arrow[], { from, to }: Arrow): boolean {
  const seen = new Set([from]);
  for (const room of seen) {
    for (const arrow of arrows) {
      if (arrow.from !== room || (room === from && arrow.to === to)) continue;
      if (arrow.to === to) return true;
      seen.add(arrow.to);
    }
  }
  return false;
}

function nodeOf(service: string, room: string): string {
  const label = room === 'main' ? 'main, app and other files of src' : `${room}/`;
  return `${service.replace('-', '_')}_${room.replace('-', '_')}["${label}"]`;
}
