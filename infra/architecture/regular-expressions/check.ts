import { join } from 'node:path';
import { controlPlaneDocument, playbackDocument } from '@multi-drm/contracts';
import { exceptions } from './exceptions';
import { expressionsOf, patternsOf } from './found-expressions';
import { findingsOf, judgeWith } from './judge';

/**
 * Fails if a regular expression in the shipped sources or the OpenAPI documents may take more than linear time: one request could
 * then block all others.
 */
async function main(): Promise<void> {
  // Must be set before recheck is loaded: its other backends are separate programs.
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = await import('recheck');
  const { version } = require('recheck/package.json') as { version: string };
  const root = join(__dirname, '../../..');
  const found = [
    ...expressionsOf(root, ['packages', 'services']),
    ...patternsOf(controlPlaneDocument, 'control-plane.json'),
    ...patternsOf(playbackDocument, 'playback.json'),
  ];
  // Committed, because recheck takes most of a minute for all of them.
  const { judge, keep } = judgeWith(checkSync, version, join(__dirname, 'linear-expressions.json'));
  const findings = findingsOf(found, exceptions, judge);
  keep();
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
  else console.log(`All ${found.length} regular expressions run in linear time.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
