import { controlPlaneProblems, playbackProblems } from '@multi-drm/contracts';
import { controlPlaneGuidance, playbackGuidance } from '@multi-drm/contracts/guidance';
import { problemsPageText } from './problems-page';

const sections = new Map(
  problemsPageText()
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0], section]),
);

test('the page of problems has one heading for each code of both services, in alphabetical order', () => {
  const codes = new Set([...Object.keys(playbackProblems), ...Object.keys(controlPlaneProblems)]);
  expect(problemsPageText().match(/^## .*/gm)).toEqual([...codes].sort().map((code) => `## \`${code}\``));
});

test('a section has what is registered, and what callers of each service should do', () => {
  const { service_unavailable: atPlayback } = playbackGuidance;
  expect(sections.get('`service_unavailable`')).toBe(`\`service_unavailable\`

The service is temporarily unavailable.

- Status: 503
- Retryable: yes, by default after a second
- At playback: ${atPlayback.whatToDo}.
- Who must act: ${atPlayback.whoActs}
- Message for the viewer: ${atPlayback.toViewers}
- At the control plane: ${controlPlaneGuidance.service_unavailable}.

`);
});

test('a section names no service that does not answer so', () => {
  expect(sections.get('`precondition_failed`')).not.toMatch(/At playback|viewer/);
  expect(sections.get('`session_evicted`')).not.toContain('At the control plane');
});
