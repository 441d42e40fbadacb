import { controlPlaneProblems, type ProblemCode, playbackProblems, problemRegistry } from '@multi-drm/contracts';
import { controlPlaneGuidance, playbackGuidance } from '@multi-drm/contracts/guidance';

/** The page of problems, in Markdown: every problem code of both services as a heading, in alphabetical order. */
export function problemsPageText(): string {
  const codes = (Object.keys(problemRegistry) as ProblemCode[]).sort();
  return [
    '# Problems',
    'Every problem code of both services. How a problem looks, and how to decide by it: [errors](errors.md).',
    ...codes.map((code) =>
      [`## \`${code}\``, `${problemRegistry[code].title}.`, factsOf(code).join('\n')].join('\n\n'),
    ),
  ].join('\n\n');
}

function factsOf(code: ProblemCode): string[] {
  const { status, retryAfterSeconds } = problemRegistry[code];
  return [
    `- Status: ${status}`,
    `- Retryable: ${retryAfterSeconds === null ? 'no' : `yes, by default after ${inSeconds(retryAfterSeconds)}`}`,
    ...(isOfPlayback(code) ? playbackFacts(code) : []),
    ...(isOfControlPlane(code) ? [`- At the control plane: ${sentence(controlPlaneGuidance[code])}`] : []),
  ];
}

function playbackFacts(code: keyof typeof playbackProblems): string[] {
  const { whatToDo, whoActs, toViewers } = playbackGuidance[code];
  return [
    `- At playback: ${sentence(whatToDo)}`,
    `- Who must act: ${whoActs}`,
    `- Message for the viewer: ${toViewers}`,
  ];
}

const isOfPlayback = (code: ProblemCode): code is keyof typeof playbackProblems => code in playbackProblems;
const isOfControlPlane = (code: ProblemCode): code is keyof typeof controlPlaneProblems => code in controlPlaneProblems;

const inSeconds = (seconds: number) => (seconds === 1 ? 'a second' : `${seconds} seconds`);
const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);
