import { join } from 'node:path';
import { controlPlaneDocument, playbackDocument } from '@multi-drm/contracts';
import { exceptions } from './exceptions';
import { expressionsOf, patternsOf } from './found-expressions';
import { faultsOf, judgeWith } from './judge';

/**
 * Fails where a regular expression of the shipped sources or of the OpenAPI documents may take more time than the text is
 * long, such as the square of its length: one request could keep all others waiting.
 */
async function main(): Promise<void> {
  // Before it is loaded: its other backends are programs of their own.
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = await import('recheck');
  const root = join(__dirname, '../../..');
  const found = [
    ...expressionsOf(root, ['packages', 'services']),
    ...patternsOf(controlPlaneDocument, 'control-plane.json'),
    ...patternsOf(playbackDocument, 'playback.json'),
  ];
  const judged = join(root, 'node_modules/.cache/regular-expressions-recheck-4.5.0.json');
  const faults = faultsOf(found, exceptions, judgeWith(checkSync, judged));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${found.length} regular expressions take no more time than their texts are long.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
