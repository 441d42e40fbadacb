import { controlPlaneDocument, playbackDocument } from './documents';

interface Operation {
  operationId?: string;
  summary?: string;
}

/** `operationId` and title of every operation of both documents. */
const titles = [controlPlaneDocument, playbackDocument].flatMap(({ paths }) =>
  Object.values(paths).flatMap((path) =>
    Object.values(path as Record<string, Operation>).flatMap(({ operationId, summary = '' }) =>
      operationId === undefined ? [] : [{ operationId, title: summary }],
    ),
  ),
);

/** Verbs that readers must be able to tell apart: what they end, and whether it can be undone. */
const verbs = ['archive', 'restore', 'erase', 'revoke', 'rotate', 'remove', 'publish', 'unpublish', 'release'];

test('the title of an operation that ends or restores something begins with the verb of its operationId', () => {
  const named = titles.flatMap(({ operationId, title }) => {
    const verb = verbs.find((each) => new RegExp(`^${each}[A-Z]`).test(operationId));
    return verb === undefined ? [] : [{ verb, title }];
  });
  expect(named.length).toBeGreaterThan(15);
  for (const { verb, title } of named) {
    expect({ verb, title }).toEqual({ verb, title: expect.stringMatching(new RegExp(`^${verb}\\b`, 'i')) });
  }
});
