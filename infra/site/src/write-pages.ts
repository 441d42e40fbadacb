import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sideNavigation, topNavigation } from './navigation';
import { problemsPage, sitePages } from './pages';
import { problemsPageText } from './problems-page';
import { withSiteLinks } from './site-links';

/** Where the site is made, and from what. `repository`: its web address; undefined if it is on no web site. */
export interface SiteFolders {
  repositoryFolder: string;
  repository: string | undefined;
  /** For the pages in Markdown, which VitePress reads. */
  pagesFolder: string;
  /** For the navigation in JSON, which the configuration of VitePress reads. */
  navigationFile: string;
}

/**
 * Writes the pages and the navigation. Source files that pages link to are linked in the repository. If it is on no web site, they are
 * copied to the site as text, so that their links work.
 */
export function writePages({ repositoryFolder, repository, pagesFolder, navigationFile }: SiteFolders): void {
  rmSync(pagesFolder, { recursive: true, force: true });
  const pages = sitePages(repositoryFolder);
  const copied = new Set<string>();
  const isFolder = (path: string) => statSync(join(repositoryFolder, path)).isDirectory();
  const addressOf = (path: string) => {
    if (repository !== undefined) return `${repository}/${isFolder(path) ? 'tree' : 'blob'}/HEAD/${path}`;
    copied.add(path);
    return `/${copyOf(path)}`;
  };
  const write = (page: string, text: string) => writeFile(join(pagesFolder, page), text);
  for (const [source, page] of pages) {
    const text = readFileSync(join(repositoryFolder, source), 'utf8');
    write(page, withSiteLinks(text, source, { repositoryFolder, pages, addressOf }));
  }
  write(problemsPage, problemsPageText());
  for (const path of copied) {
    const original = join(repositoryFolder, path);
    const text = isFolder(path) ? readdirSync(original).join('\n') : readFileSync(original, 'utf8');
    write(join('public', copyOf(path)), text);
  }
  writeFile(navigationFile, JSON.stringify({ nav: topNavigation, sidebar: sideNavigation([...pages.values()]) }));
}

/** VitePress leaves links to text alone, and takes those to most kinds of source files for pages. */
const copyOf = (path: string) => `source/${path}.txt`;

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
