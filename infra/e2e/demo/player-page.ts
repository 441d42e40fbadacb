import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeIn } from '@multi-drm/test-kit/documents/guide';
import { build } from 'esbuild';

/** The files are not entry points of their packages, so they are found by path. */
const packages = join(__dirname, '../node_modules');

/** A player library and the function in `docs/player.md` that plays a session with it. */
export interface PlayerLibrary {
  name: string;
  /** Files from the npm packages, in the order in which a page loads them. */
  scripts: string[];
  start: string;
  manifestType: 'dash' | 'hls';
}

const videoJs = ['video.js/dist/video.min.js', 'videojs-contrib-eme/dist/videojs-contrib-eme.min.js'];

export const playerLibraries: PlayerLibrary[] = [
  {
    name: 'Shaka Player',
    scripts: ['shaka-player/dist/shaka-player.compiled-es2021.js'],
    start: 'startShaka',
    manifestType: 'dash',
  },
  {
    name: 'dash.js',
    scripts: ['dashjs/dist/legacy/umd/dash.all.min.js'],
    start: 'startDashJs',
    manifestType: 'dash',
  },
  { name: 'hls.js', scripts: ['hls.js/dist/hls.min.js'], start: 'startHlsJs', manifestType: 'hls' },
  { name: 'video.js', scripts: videoJs, start: 'startVideoJs', manifestType: 'dash' },
];

export const videoJsWithHls: PlayerLibrary = {
  name: 'video.js with HLS',
  scripts: videoJs,
  start: 'startVideoJs',
  manifestType: 'hls',
};

/** The whole page of `docs/player.md`, which loads files from `/node_modules`. */
export const wholePage: PlayerLibrary = {
  name: 'the whole page',
  scripts: ['shaka-player/dist/shaka-player.compiled.js'],
  start: '',
  manifestType: 'dash',
};

/** Returns a file of a player by its path in the site; undefined if no page loads it. */
export function playerScript(path: string): Buffer | undefined {
  const file = path.replace(/^node_modules\//, '');
  const known = [...playerLibraries, wholePage].flatMap(({ scripts }) => scripts).includes(file);
  return known ? readFileSync(join(packages, file)) : undefined;
}

/**
 * Returns the script of a customer's page: the code of `docs/player.md` with the package, and globals for the tests. `moved` counts how
 * often the video moved while its keeper waited for a session.
 */
export async function pageScript(): Promise<string> {
  const code = `
${['Play', 'Four players'].map((heading) => codeIn('player', 'js', heading)).join('\n')}
const starts = { startShaka, startDashJs, startHlsJs, startVideoJs };
const video = document.getElementById('video');
const shown = { ends: [], moved: 0, returned: false };
globalThis.shown = shown;
globalThis.start = async (name, contentId) => {
  shown.keeper = await keepSession(contentId, ({ code }) => shown.ends.push(code));
  shown.player = await starts[name](video, shown.keeper);
  // A license that is refused pauses the video.
  video.play().catch(() => undefined);
};
addEventListener('pageshow', ({ persisted }) => {
  shown.returned ||= persisted;
});
let heldAt;
setInterval(() => {
  if (heldAt !== undefined && shown.keeper.waiting && video.currentTime !== heldAt) shown.moved += 1;
  heldAt = shown.keeper?.waiting ? video.currentTime : undefined;
}, 50);
`;
  return bundle(code);
}

/** Returns the script of the package for players that sets `MultiDrm`. */
export function scriptTag(): Promise<string> {
  const file = require.resolve('@multi-drm/player').replace('index', 'script-tag');
  return bundle(`export * from ${JSON.stringify(file)}`, 'MultiDrm');
}

async function bundle(code: string, globalName?: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: __dirname, loader: 'js' },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    conditions: ['source'],
    ...(globalName === undefined ? {} : { globalName }),
  });
  return outputFiles[0]?.text ?? '';
}

export function pageOf(library: PlayerLibrary): string {
  if (library === wholePage) return codeIn('player', 'html', 'Four players');
  const { scripts, start } = library;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${start}</title><link rel="icon" href="data:,"></head>
<body>
<video id="video" muted loop playsinline width="32" height="18"></video>
${[...scripts, 'page.js'].map((script) => `<script src="/${script}"></script>`).join('\n')}
</body>
</html>`;
}
