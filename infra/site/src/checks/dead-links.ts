import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtFiles } from './built-files';

/** An address of the built site; only its path is used. */
const origin = 'http://site.invalid';

/**
 * The links of a built site that have no target, as `page: link`: to files or headings that it does not have, and to files in the
 * `repository` (its web address) that are not in `repositoryFolder`. Links to other sites are not followed.
 */
export function deadLinks(site: string, repositoryFolder: string, repository: string | undefined): string[] {
  const pages = builtFiles(site, '.html');
  const anchors = new Map([...pages].map(([page, html]) => [page, valuesOf(html, /\sid="([^"]*)"/g)]));
  const isDead = (page: string, link: string): boolean => {
    if (repository !== undefined && link.startsWith(`${repository}/`)) {
      const [, path = ''] = /^\/(?:blob|tree)\/HEAD\/([^#]*)/.exec(link.slice(repository.length)) ?? [];
      return path === '' || !existsSync(join(repositoryFolder, path));
    }
    const { origin: linkedOrigin, pathname, hash } = new URL(link, `${origin}/${page}`);
    if (linkedOrigin !== origin) return false;
    const path = decodeURIComponent(pathname)
      .slice(1)
      .replace(/(^|\/)$/, '$1index.html');
    if (hash === '') return !existsSync(join(site, path));
    return anchors.get(path)?.includes(decodeURIComponent(hash.slice(1))) !== true;
  };
  return [...pages].flatMap(([page, html]) =>
    valuesOf(html, /<a\s[^>]*?href="([^"]*)"/g)
      .filter((link) => isDead(page, link))
      .map((link) => `${page}: ${link}`),
  );
}

const valuesOf = (html: string, attribute: RegExp): string[] =>
  [...html.matchAll(attribute)].map(([, value = '']) => value.replaceAll('&amp;', '&'));
