import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlaneDocument } from '@multi-drm/contracts';
import { z } from 'zod';
import { exampleSettings } from '../testing/every-fake';
import { backendDescriptors } from './backend-descriptors';

const page = readFileSync(join(__dirname, '../../../../docs/license-backends.md'), 'utf8');
const { schemas } = controlPlaneDocument.components;
const schemaOf = z.object({ properties: z.record(z.string(), z.unknown()) });
const { mapping } = z
  .object({ discriminator: z.object({ mapping: z.record(z.string(), z.string()) }) })
  .parse(schemas.LicenseBackendRequest).discriminator;

/** The cells of each row of the first table of the page that has this column. */
function tableWith(column: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(` ${column} `));
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  return lines.slice(start + 2, start + length).map(cells);
}

const types = Object.keys(exampleSettings) as (keyof typeof exampleSettings)[];

/** The name and secrecy of each field of a type. An empty cell repeats the type of the row above. */
const fieldsOfPage = new Map<string, string[]>();
let above = '';
for (const [type = '', field = '', , , isSecret] of tableWith('Secret')) {
  above = type || above;
  fieldsOfPage.set(above, [...(fieldsOfPage.get(above) ?? []), `${field}: ${isSecret}`]);
}

describe.each(types)('%s', (type) => {
  const { systems, secrets } = backendDescriptors[type];
  const names = Object.keys(exampleSettings[type]);

  test('the OpenAPI document and the example have the same settings, and the descriptor keeps each of them', () => {
    const { properties } = schemaOf.parse(schemas[mapping[type]?.split('/').at(-1) ?? '']);
    expect(Object.keys(properties).sort()).toEqual([...names].sort());
    expect(backendDescriptors[type].settings.parse(exampleSettings[type])).toEqual(exampleSettings[type]);
  });

  test('the page names the DRM systems it serves, its settings, and which are secret', () => {
    const served = tableWith('Serves').find(([name]) => name === type)?.[1];
    expect(served).toBe(systems.length === 4 ? 'all four' : systems.join(', '));
    const own = names.filter((name) => name !== 'type' && name !== 'url');
    const isSecret = (name: string) => (secrets as readonly string[]).includes(name);
    expect(fieldsOfPage.get(type)?.sort()).toEqual(
      own.map((name) => `${name}: ${isSecret(name) ? 'yes' : 'no'}`).sort(),
    );
  });
});
