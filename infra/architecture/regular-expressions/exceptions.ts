/** An expression that recheck cannot judge, or does not judge alike in every run. */
export interface Exception {
  file: string;
  /** As `FoundExpression` has it; of code its beginning. */
  source: string;
  /** Why its time grows no faster than the text, or why callers do not reach it. */
  reason: string;
}

export const exceptions: Exception[] = [
  {
    file: 'packages/service-kit/src/http/formats.ts',
    source:
      '^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$',
    reason: 'Each hyphen begins a subtag, whose length tells its kind: a tag can be read in a bounded number of ways.',
  },
  {
    file: 'packages/service-kit/src/logger.ts',
    source: String.raw`(?<![A-Za-z0-9])(?:mk|ak|op)_[\w-]{16,}|eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<=:\/\/)[^\s/?#]+(?=@)`,
    reason:
      'What follows a beginning takes every character up to where the next one can begin. Texts have 4,000 characters.',
  },
  {
    file: 'services/control-plane/src/publishing/lost-documents.ts',
    source: 'new RegExp(`^',
    reason: 'The names are three constants, and the text is what Redis says of itself.',
  },
  {
    file: 'services/playback/src/access/player-routes.ts',
    source: 'new RegExp(`^',
    reason: 'The paths of the document: every parameter ends at the next slash.',
  },
  {
    file: 'services/playback/src/features/sessions/session-identity.ts',
    source: "new RegExp(pattern, 'u')",
    reason: 'A pattern of the document, which is judged there.',
  },
];
