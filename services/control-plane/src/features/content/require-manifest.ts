import { Problem } from '@multi-drm/contracts';

/** Throws `conflict` for published video without a manifest, which no player could play. */
export function requireManifest({ kind, manifests }: { kind: string; manifests: unknown[] }): void {
  if ((kind !== 'vod' && kind !== 'live') || manifests.length > 0) return;
  throw new Problem('conflict', `Published content of kind ${kind} needs a manifest.`);
}
