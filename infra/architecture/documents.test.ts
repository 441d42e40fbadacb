import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const read = (document: string) => readFileSync(join(root, document), 'utf8');
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const documents = ['.', 'docs', 'docs/decisions'].flatMap(markdownIn);

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (document: string) =>
  [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** The links of a document that lead to nothing in the repository. */
function brokenLinks(document: string): string[] {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((link) => {
    if (/^<?https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

test.each(documents)('every link of %s leads somewhere', (document) => {
  expect(brokenLinks(document)).toEqual([]);
});

// In `<…>` stands what a contributor names.
test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('every path that %s names is there', (document) => {
  const paths = [...read(document).matchAll(/`((?:packages|services|infra|docs)\/[^`\s<*]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
