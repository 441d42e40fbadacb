import { printLine } from '@multi-drm/local/terminal-output';
import { run } from '@multi-drm/local/tools';
import { script, toolsFolder } from './tools';

interface SizeLimit {
  what: string;
  /** A module, as a customer's bundler gets it. */
  code: string;
  /** Compressed. */
  bytes: number;
}

const limits: SizeLimit[] = [
  {
    what: 'client, with the verification of webhooks',
    code: "export * from '@multi-drm/client'; export * from '@multi-drm/client/webhooks'",
    bytes: 4000,
  },
  ...['shaka', 'dashjs', 'hlsjs', 'videojs'].map((adapter) => ({
    what: `session keeper and ${adapter}`,
    code: `export { SessionKeeper } from '@multi-drm/player'; export * from '@multi-drm/player/${adapter}'`,
    bytes: 5000,
  })),
  { what: 'management client', code: "export * from '@multi-drm/management-client'", bytes: 5000 },
];

/** Measures the packages installed in a folder, minified and compressed; returns those that are larger than they may be. */
export function checkSizes(folder: string): string[] {
  const measured = run(script('bundle-sizes.mjs', folder, ...limits.map(({ code }) => code)), toolsFolder)
    .trim()
    .split('\n');
  return limits.flatMap(({ what, bytes }, index) => {
    const size = Number(measured[index]);
    printLine(`${what}: ${size} bytes compressed, of ${bytes}`);
    return size <= bytes ? [] : [`${what}: ${size} bytes compressed are more than ${bytes}`];
  });
}
