// The configuration of VitePress. The command writes the pages and the navigation before it starts VitePress.
import { readFileSync } from 'node:fs';
import { withMermaid } from 'vitepress-plugin-mermaid';

const { nav, sidebar } = JSON.parse(readFileSync(new URL('../dist/navigation.json', import.meta.url), 'utf8'));

/** Browsers load nothing from elsewhere. VitePress has scripts and styles in its pages, Mermaid has styles in its diagrams. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
].join('; ');

/** The anchor of a heading, as GitHub makes it, so that links work there and here. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

export default withMermaid({
  title: 'Multi-DRM',
  description: 'Multi-DRM control plane and playback sessions',
  lang: 'en',
  srcDir: 'dist/pages',
  outDir: '../dist',
  cacheDir: 'dist/cache',
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy }],
    ['link', { rel: 'icon', href: 'data:,' }],
    // Mermaid measures its labels without the styles of paragraphs, which would cut off their last line.
    ['style', {}, '.vp-doc .mermaid p { margin: 0; line-height: inherit }'],
  ],
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: { nav, sidebar, outline: [2, 3], search: { provider: 'local' } },
});
