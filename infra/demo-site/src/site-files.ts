import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { clipFolder } from './clip/clip-folder';
import { demoTitles } from './clip/demo-titles';
import { bundlePage, pageFolder } from './page-script';

export interface SiteFile {
  contentType: string;
  read(): Promise<Uint8Array>;
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.vtt': 'text/vtt; charset=utf-8',
  '.mpd': 'application/dash+xml',
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.mp4': 'video/mp4',
  '.m4s': 'video/iso.segment',
};

/** Returns all files of the site by URL path; no other file is served. */
export function findSiteFiles(): ReadonlyMap<string, SiteFile> {
  const shakaFolder = dirname(require.resolve('shaka-player/package.json'));
  return new Map([
    ...filesIn(pageFolder, '/'),
    ...demoTitles.flatMap(({ folder }) => filesIn(clipFolder(folder), `/${folder}/`)),
    ['/', describe(join(pageFolder, 'index.html'))],
    ['/page.js', { contentType: contentTypeOf('page.js'), read: bundlePage }],
    ['/shaka-player.js', describe(join(shakaFolder, 'dist/shaka-player.dash-es2021.js'))],
  ]);
}

function filesIn(folder: string, prefix: string): [string, SiteFile][] {
  return readdirSync(folder)
    .filter((name) => extname(name) in contentTypes)
    .map((name) => [prefix + name, describe(join(folder, name))]);
}

function describe(path: string): SiteFile {
  return { contentType: contentTypeOf(path), read: () => readFile(path) };
}

function contentTypeOf(path: string): string {
  return contentTypes[extname(path)] ?? 'application/octet-stream';
}
