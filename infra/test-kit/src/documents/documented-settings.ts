import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';

/** The defaults of a service's settings in `docs/settings.md`, by variable: a value, `none`, `required` or `see right`. */
export function documentedSettings(service: 'Control plane' | 'Playback'): Record<string, string> {
  const page = readFileSync(join(repositoryFolder, 'docs/settings.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| |`/g, '').trim()));
  const column = rows[0]?.indexOf(service) ?? -1;
  const serviceRows = rows.slice(2).map(([name = '', ...cells]) => [name, cells[column - 1] ?? ''] as const);
  return Object.fromEntries(serviceRows.filter(([, value]) => value !== '–'));
}

/** The defaults in the form of the page, of those settings for which it has a value or `none`. */
export function defaultsLike(documented: Record<string, string>, settings: object): Record<string, string> {
  const values: Record<string, unknown> = { ...settings };
  const shown = (value: unknown) => {
    if (Array.isArray(value) && value.length > 0) return value.join(',');
    return value === undefined || typeof value === 'object' ? 'none' : String(value);
  };
  return Object.fromEntries(
    Object.entries(documented).map(([name, text]) => [
      name,
      text === 'required' || text === 'see right' ? text : shown(values[name]),
    ]),
  );
}
