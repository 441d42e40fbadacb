import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '../documents';
import { controlPlaneProblems, type ProblemDefinition, playbackProblems } from './registry';

const services: [string, OpenApiDocument, Record<string, ProblemDefinition>][] = [
  ['control plane', controlPlaneDocument, controlPlaneProblems],
  ['playback', playbackDocument, playbackProblems],
];

describe.each(services)('the problem registry of the %s', (_service, document, problems) => {
  test('has exactly the codes of its OpenAPI document', () => {
    const { ProblemCode } = document.components.schemas as { ProblemCode: { enum: string[] } };
    expect(Object.keys(problems).sort()).toEqual([...ProblemCode.enum].sort());
  });

  test('marks only problems as retryable that an unchanged request can overcome', () => {
    for (const { status, title, retryable } of Object.values(problems)) {
      expect(retryable).toBe(
        status === 503 || status === 408 || / temporarily unavailable$/.test(title) || title === 'Too many requests',
      );
    }
  });
});
