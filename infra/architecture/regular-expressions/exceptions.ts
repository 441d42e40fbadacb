/** An expression that recheck cannot judge, or judges differently between runs. */
export interface Exception {
  file: string;
  /** The same as in `FoundExpression`; for code, its start. */
  source: string;
  /** Why its time is linear, or why callers cannot reach it. */
  reason: string;
}

export const exceptions: Exception[] = [
  {
    file: 'packages/service-kit/src/http/formats.ts',
    source:
      '^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$',
    reason:
      'Each hyphen starts a subtag, and its length determines its kind: the number of ways to match a tag is bounded.',
  },
  {
    file: 'packages/service-kit/src/http/operations.ts',
    source: 'new RegExp(`^',
    reason: 'Made of the paths of the document: every parameter ends at the next slash.',
  },
  {
    file: 'packages/service-kit/src/logger.ts',
    source: String.raw`(?<![A-Za-z0-9])(?:mk|ak|op)_[\w-]{16,}|eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<=:\/\/)[^\s/?#]+(?=@)`,
    reason:
      'Each alternative consumes every character up to where the next one can start. Texts have at most 4,000 characters.',
  },
  {
    file: 'services/control-plane/src/publishing/lost-documents.ts',
    source: 'new RegExp(`^',
    reason: 'The names are three constants, and the text comes from INFO of Redis.',
  },
  {
    file: 'services/playback/src/sessions/session-identity.ts',
    source: "new RegExp(pattern, 'u')",
    reason: 'A pattern of the document, which is checked there.',
  },
];
