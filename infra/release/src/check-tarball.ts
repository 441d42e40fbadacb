import { tryRun } from '@multi-drm/local/tools';
import type { Tarball } from './pack';
import { tool, toolsFolder } from './tools';

/** Checks a tarball with publint and Are the types wrong; returns what they found. */
export function checkTarball({ name, path, scripts }: Tarball): string[] {
  const without = scripts.length > 0 ? ['--exclude-entrypoints', ...scripts] : [];
  const checks = [
    tool('publint', 'run', path, '--strict'),
    // Without resolutions from before `exports`, which find no entry but the first.
    tool('attw', path, '--profile', 'node16', '--format', 'ascii', ...without),
  ];
  return checks.flatMap((command) => {
    const { succeeded, output } = tryRun(command, toolsFolder);
    return succeeded ? [] : [`${name}:\n${output}`];
  });
}
