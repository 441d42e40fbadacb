import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Documents outside of `docs`. Not all keep their names: `SECURITY.md` and `docs/security.md` would be one file on some systems. */
const otherPages = [
  ['README.md', 'index.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['SECURITY.md', 'report-a-vulnerability.md'],
] as const;

/** The page that is generated from the problem registry. */
export const problemsPage = 'problems.md';

/**
 * The pages of the site that are files of the repository: from the path of each file in the repository, such as `docs/backend.md`, to
 * that of the page in the site, such as `backend.md`.
 */
export function sitePages(repositoryFolder: string): Map<string, string> {
  const namesIn = (folder: string) => readdirSync(join(repositoryFolder, folder)).sort();
  const markdownIn = (folder: string) => namesIn(folder).filter((name) => name.endsWith('.md'));
  const packages = namesIn('packages').filter((name) =>
    existsSync(join(repositoryFolder, 'packages', name, 'README.md')),
  );
  return new Map([
    ...otherPages,
    ...markdownIn('docs').map((name) => [`docs/${name}`, name] as const),
    ...markdownIn('docs/decisions').map((name) => [`docs/decisions/${name}`, `decisions/${name}`] as const),
    ...packages.map((name) => [`packages/${name}/README.md`, `packages/${name}.md`] as const),
  ]);
}
