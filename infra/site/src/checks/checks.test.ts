import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import { deadLinks } from './dead-links';
import { loadedFromElsewhere } from './loaded-from-elsewhere';
import { notFoundBySearch } from './not-found-by-search';

const site = mkdtempSync(join(tmpdir(), 'site-'));
afterAll(() => rmSync(site, { recursive: true }));

const repository = 'https://code.example/owner/name';
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' data:">`;

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), text);
  }
}

test('links to files, headings and source files that do not exist are dead', () => {
  const linksTo = (...links: string[]) => links.map((link) => `<a class="x" href="${link}">x</a>`).join('');
  const alive = [
    '/',
    '/a.html',
    '/a.html#one',
    '#two',
    'https://elsewhere.example/x',
    `${repository}/blob/HEAD/README.md`,
  ];
  const dead = ['/b.html', '/a.html#three', '#one', `${repository}/blob/HEAD/gone.ts`, `${repository}/gone`];
  write({
    'index.html': `<h2 id="two">${linksTo(...alive, ...dead)}`,
    'a.html': '<h2 id="one">',
    'in/c.html': linksTo('../a.html#one', 'a.html', '/?x=1&amp;y=2#two'),
  });
  expect(deadLinks(site, repositoryFolder, repository).sort()).toEqual(
    [...dead.map((link) => `index.html: ${link}`), 'in/c.html: a.html'].sort(),
  );
});

test('what pages and styles load from elsewhere is found, and pages that allow it to their scripts', () => {
  write({
    'index.html': `${policy}<a href="https://elsewhere.example">x</a><script src="/x.js"></script><img src="data:,">`,
    'a.html': `${policy}<script type="module" src="https://cdn.example/x.js"></script>`,
    'in/c.html': '<link rel="stylesheet" href="//fonts.example/x.css">',
    'x.css':
      '@import "https://fonts.example/y.css"; a { background: url(/x.png) } b { background: url("//cdn.example/x.png") }',
  });
  expect(loadedFromElsewhere(site)).toEqual([
    'a.html: <script type="module" src="https://cdn.example/x.js"',
    'in/c.html: <link rel="stylesheet" href="//fonts.example/x.css"',
    'x.css: @import "https://fonts.example/y.css',
    'x.css: url("//cdn.example/x.png',
    'in/c.html: has no Content-Security-Policy',
  ]);
});

test('a code is not found if its heading is not the first result', () => {
  const results = {
    one: ['/problems.html#one', '/errors.html'],
    two: ['/errors.html', '/problems.html#two'],
    three: [],
  };
  expect(notFoundBySearch(['one', 'two', 'three', 'four'], results)).toEqual(['two', 'three', 'four']);
});
