import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ReadableFailure } from '@multi-drm/local/terminal-output';

/** Where the links of a page lead on the site. */
export interface LinkTargets {
  repositoryFolder: string;
  /** See `sitePages`. */
  pages: ReadonlyMap<string, string>;
  /** Returns the address of a file or folder of the repository that is not a page. */
  addressOf: (path: string) => string;
}

/**
 * The text of a page with its links changed: those between documents to links between pages, and those to other files of the repository
 * to their address. `source`: the path of the document. Throws if a link has no target.
 */
export function withSiteLinks(text: string, source: string, targets: LinkTargets): string {
  // The odd parts are blocks of code.
  const parts = text.split(/^( *```.*?^ *```)$/ms);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${siteLink(link, source, targets)})`),
    )
    .join('');
}

function siteLink(link: string, source: string, { repositoryFolder, pages, addressOf }: LinkTargets): string {
  if (/^(?:#|<?https?:|mailto:)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  const end = anchor === undefined ? '' : `#${anchor}`;
  const page = pages.get(target);
  if (page !== undefined) return `${posix.relative(dirname(pages.get(source) ?? source), page)}${end}`;
  if (existsSync(join(repositoryFolder, target))) return `${addressOf(target)}${end}`;
  throw new ReadableFailure(`${source} links to ${link}, which does not exist.`);
}
