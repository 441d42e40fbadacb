import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { details, tableHead, tableRow } from './report';
import { scenarios } from './scenarios';

/** `npm run faults [-- name…]`: runs every scenario, or the named ones. The exit code is 1 if a guarantee was violated. */
export async function main(names: string[]): Promise<number> {
  const chosen = names.length === 0 ? Object.keys(scenarios) : names;
  const unknown = chosen.filter((name) => scenarios[name] === undefined);
  if (unknown.length > 0) {
    console.error(`Unknown scenario: ${unknown.join(', ')}. Scenarios: ${Object.keys(scenarios).join(', ')}`);
    return 2;
  }
  const rows: string[] = [];
  let failures = 0;
  await withTestServers(async () => {
    for (const name of chosen) {
      try {
        const outcome = await scenarios[name]?.();
        if (outcome === undefined) continue;
        rows.push(tableRow(name, outcome));
        if (outcome.broken.length > 0) failures += 1;
        console.log(`${rows.at(-1)}\n${details(outcome)}`);
      } catch (error) {
        failures += 1;
        rows.push(`${name}: ended early`);
        console.error(name, error);
      }
    }
  });
  console.log(`\n${[tableHead(), ...rows].join('\n')}`);
  console.log(failures === 0 ? '\nEvery promise held.' : `\n${failures} scenarios broke a promise.`);
  return failures === 0 ? 0 : 1;
}
