import { repositoryFolder } from '@multi-drm/local/repository';
import { sitePages } from './pages';
import { withSiteLinks } from './site-links';

const change = (text: string, source: string) =>
  withSiteLinks(text, source, {
    repositoryFolder,
    pages: sitePages(repositoryFolder),
    addressOf: (path) => `https://code.example/${path}`,
  });

test.each([
  ['another page', '[player](player.md#renew)', 'docs/backend.md', '[player](player.md#renew)'],
  ['a page in another folder', '[glossary](../glossary.md)', 'docs/decisions/README.md', '[glossary](../glossary.md)'],
  ['a page of the root, from docs', '[changes](../CHANGELOG.md)', 'docs/operator.md', '[changes](changelog.md)'],
  ['a page of docs, from the root', '[a\nplayer](docs/player.md)', 'README.md', '[a\nplayer](player.md)'],
  ['a heading of the same page', '[below](#renew)', 'docs/player.md', '[below](#renew)'],
  ['a web site', '[EME](https://www.w3.org/TR/eme/)', 'docs/player.md', '[EME](https://www.w3.org/TR/eme/)'],
  [
    'a source file',
    '[x](receivers/receiver.ts#L3)',
    'docs/webhooks.md',
    '[x](https://code.example/docs/receivers/receiver.ts#L3)',
  ],
  ['a folder', '[x](../packages/)', 'docs/webhooks.md', '[x](https://code.example/packages)'],
])('a link to %s', (_, text, source, expected) => {
  expect(change(text, source)).toBe(expected);
});

test('a block of code stays as it is', () => {
  const text = 'See:\n\n```sh\n[ -x "$f" ](missing.md)\n```\n\n- then\n  ```sh\n  [x](gone.md)\n  ```\n';
  expect(change(text, 'docs/backend.md')).toBe(text);
});

test('a link without a target fails, with the page that has it', () => {
  expect(() => change('[x](gone.md)', 'docs/backend.md')).toThrow(
    'docs/backend.md links to gone.md, which does not exist.',
  );
});
