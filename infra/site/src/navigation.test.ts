import { repositoryFolder } from '@multi-drm/local/repository';
import { type NavigationItem, sideNavigation, topNavigation } from './navigation';
import { problemsPage, sitePages } from './pages';

const pages = [...sitePages(repositoryFolder).values(), problemsPage];
const linksOf = (items: NavigationItem[]): string[] =>
  items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link.slice(1)]), ...linksOf(inner)]);

test('every page has its place in the navigation, once', () => {
  expect(linksOf(sideNavigation(pages)).sort()).toEqual([...pages].sort());
});

test('the bar above all pages links to pages', () => {
  expect(linksOf(topNavigation).filter((link) => !pages.includes(link))).toEqual([]);
});

test('the README of a package and a decision record are listed by their names', () => {
  const listed = sideNavigation(['packages/client.md', 'decisions/0048-pages-by-reader.md']);
  expect(listed).toContainEqual({
    text: 'Packages',
    items: [{ text: '@multi-drm/client', link: '/packages/client.md' }],
  });
  expect(JSON.stringify(listed)).toContain('"0048 Pages by reader"');
});

test('no two pages are one file where upper and lower case are the same', () => {
  expect(new Set(pages.map((page) => page.toLowerCase())).size).toBe(pages.length);
});
