import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { codeIn } from '@multi-drm/testing/documents/guide';

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

/** A customer's site on its own origin: for each library, a page with only the code of `docs/player.md`. */
export class PlayerPages {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<PlayerPages> {
    const server = createServer((request, response) => {
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PlayerPages(server);
  }

  urlOf({ name }: PlayerLibrary): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${encodeURIComponent(name)}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
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
