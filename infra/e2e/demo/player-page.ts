import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeIn } from '@multi-drm/test-kit/documents/guide';
import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';

/** The files are not entry points of their packages, so they are found by path. */
const packages = join(__dirname, '../node_modules');

/** A player library and the function in `docs/player.md` that plays a session with it. */
export interface PlayerLibrary {
  name: string;
  /** Files from the npm packages, in the order in which a page loads them. */
  scripts: string[];
  recipe: string;
  manifestType: 'dash' | 'hls';
}

export const playerLibraries: PlayerLibrary[] = [
  {
    name: 'Shaka Player',
    scripts: ['shaka-player/dist/shaka-player.compiled-es2021.js'],
    recipe: 'playWithShaka',
    manifestType: 'dash',
  },
  {
    name: 'dash.js',
    scripts: ['dashjs/dist/legacy/umd/dash.all.min.js'],
    recipe: 'playWithDashJs',
    manifestType: 'dash',
  },
  { name: 'hls.js', scripts: ['hls.js/dist/hls.min.js'], recipe: 'playWithHlsJs', manifestType: 'hls' },
  {
    name: 'video.js',
    scripts: ['video.js/dist/video.min.js', 'videojs-contrib-eme/dist/videojs-contrib-eme.min.js'],
    recipe: 'playWithVideoJs',
    manifestType: 'dash',
  },
  {
    name: 'video.js with HLS',
    scripts: ['video.js/dist/video.min.js', 'videojs-contrib-eme/dist/videojs-contrib-eme.min.js'],
    recipe: 'playWithVideoJs',
    manifestType: 'hls',
  },
];

/**
 * Starts a customer's site on its own origin: for each library, a page with only the code of `docs/player.md`. Resolves to a function that
 * returns the URL of a library's page.
 */
export async function startPlayerPages(): Promise<(library: PlayerLibrary) => string> {
  const url = await startHttpServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const script = playerLibraries.flatMap(({ scripts }) => scripts).find((file) => file === path);
    const library = playerLibraries.find(({ name }) => name === path);
    if (script !== undefined) {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(readFileSync(join(packages, script)));
    } else if (library !== undefined) {
      response.setHeader('Content-Type', 'text/html');
      response.end(pageOf(library));
    } else {
      response.statusCode = 404;
      response.end();
    }
  });
  return ({ name }) => `${url}/${encodeURIComponent(name)}`;
}

function pageOf({ scripts, recipe }: PlayerLibrary): string {
  const code = [codeIn('player', 'js', 'Code to copy'), codeIn('player', 'js', 'Four players')].join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${recipe}</title><link rel="icon" href="data:,"></head>
<body>
<video id="video" class="video-js" muted playsinline width="320" height="180"></video>
${scripts.map((script) => `<script src="/${script}"></script>`).join('\n')}
<script>
${code}
globalThis.play = (session) => {
  globalThis.ends = [];
  globalThis.playback = new PlaybackSession(session, (code) => ends.push(code));
  ${recipe}(document.getElementById('video'), playback);
};
</script>
</body>
</html>`;
}
