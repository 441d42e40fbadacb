import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoTenant } from './demo-tenant';
import { writePrivateJson } from './private-file';

/** What scripts need to use the running services. Scripts rely on these names. */
export interface Quickstart extends DemoTenant {
  controlPlaneUrl: string;
  playbackUrl: string;
  /** The customer site that plays the demo clip. */
  demoUrl: string;
  operatorKey: string;
  /** Process ids. */
  processes: { controlPlane: number; playback: number };
}

/** The path of the file, which exists only while everything is ready. */
export function quickstartFile(dataFolder: string): string {
  return join(dataFolder, 'quickstart.json');
}

/** Writes the file atomically, readable only by its owner. */
export function writeQuickstart(dataFolder: string, quickstart: Quickstart): void {
  writePrivateJson(quickstartFile(dataFolder), quickstart);
}

export function removeQuickstart(dataFolder: string): void {
  rmSync(quickstartFile(dataFolder), { force: true });
}
