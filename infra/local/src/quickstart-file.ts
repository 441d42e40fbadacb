import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoTenant } from './demo-tenant';
import { writePrivateJson } from './private-file';

/** What a script needs to use the running services; scripts rely on these names. */
export interface Quickstart extends DemoTenant {
  controlPlaneUrl: string;
  playbackUrl: string;
  /** The customer site that plays the demo clip. */
  demoUrl: string;
  operatorKey: string;
  /** Process ids. */
  processes: { controlPlane: number; playback: number };
}

/** There while everything is ready, and only then. */
export function quickstartFile(dataFolder: string): string {
  return join(dataFolder, 'quickstart.json');
}

/** Writes the file in one step, readable for its owner alone. */
export function writeQuickstart(dataFolder: string, quickstart: Quickstart): void {
  writePrivateJson(quickstartFile(dataFolder), quickstart);
}

export function removeQuickstart(dataFolder: string): void {
  rmSync(quickstartFile(dataFolder), { force: true });
}
