/** A line of the navigation: a page, or a group of pages. Pages are paths in the site, such as `backend.md`. */
export interface NavigationItem {
  text: string;
  link?: string;
  items?: NavigationItem[];
  collapsed?: boolean;
}

const page = (text: string, link: string): NavigationItem => ({ text, link: `/${link}` });

/** The bar above all pages. */
export const topNavigation: NavigationItem[] = [
  page('Getting started', 'getting-started.md'),
  page('Backend', 'backend.md'),
  page('Players', 'player.md'),
  page('License vendors', 'license-backends.md'),
  page('Operation', 'operator.md'),
  page('Problems', 'problems.md'),
];

/** The list beside all pages. `pages`: the paths of all pages in the site, for those that are listed by their names. */
export function sideNavigation(pages: string[]): NavigationItem[] {
  const packages = pages.filter((path) => path.startsWith('packages/'));
  const records = pages.filter((path) => /^decisions\/\d/.test(path));
  return [
    {
      text: 'Start',
      items: [page('Overview', 'index.md'), page('Getting started', 'getting-started.md')],
    },
    {
      text: 'Backend',
      items: [
        page('A backend', 'backend.md'),
        page('Webhooks', 'webhooks.md'),
        page('Events', 'events.md'),
        page('Contract v1', 'contract-v1.md'),
        page('Generated clients', 'generated-clients.md'),
      ],
    },
    { text: 'Players', items: [page('A player', 'player.md'), page('Media3 and AVPlayer', 'player-native.md')] },
    {
      text: 'Packages',
      items: packages.map((path) => page(path.replace(/^packages\/(.*)\.md$/, '@multi-drm/$1'), path)),
    },
    {
      text: 'Problems',
      items: [page('Errors', 'errors.md'), page('Every problem code', 'problems.md')],
    },
    {
      text: 'Administration',
      items: [page('The catalog', 'catalog.md'), page('Support', 'support.md'), page('Usage', 'usage.md')],
    },
    {
      text: 'License vendors',
      items: [page('License backends', 'license-backends.md'), page('License formats', 'license-formats.md')],
    },
    {
      text: 'Operation',
      items: [
        page('Operating both services', 'operator.md'),
        page('Settings', 'settings.md'),
        page('Signing in', 'signing-in.md'),
        page('Capacity', 'capacity.md'),
        page('Reliability', 'reliability.md'),
        page('Threat model', 'security.md'),
        page('Report a vulnerability', 'report-a-vulnerability.md'),
        page('Changelog', 'changelog.md'),
      ],
    },
    {
      text: 'Development',
      items: [
        page('Contributing', 'contributing.md'),
        page('Architecture', 'architecture.md'),
        page('Glossary', 'glossary.md'),
        page('Evidence', 'evidence.md'),
        page('Protections', 'protections.md'),
        {
          ...page('Decision records', 'decisions/README.md'),
          collapsed: true,
          items: records.map((record) => page(recordName(record), record)),
        },
      ],
    },
  ].filter(({ items }) => items.length > 0);
}

/** Such as `0060 Documentation site`. */
function recordName(path: string): string {
  const [, number = '', title = ''] = /(\d+)-(.*)\.md$/.exec(path) ?? [];
  return `${number} ${title.charAt(0).toUpperCase()}${title.slice(1).replaceAll('-', ' ')}`;
}
