import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlaneGuidance, playbackGuidance } from './guidance';
import { controlPlaneProblems, type ProblemCode, playbackProblems, problemRegistry } from './registry';

const folder = join(__dirname, '../../../../docs');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const page = read('errors.md');

/** The rows of the table in a section, without the padding that aligns its columns. */
const rowsIn = (heading: string) =>
  (page.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/ +\| +|^\| | +\|$/).slice(1, -1));

const beginning = (code: ProblemCode) => {
  const { status, retryable } = problemRegistry[code];
  return [`\`${code}\``, String(status), retryable ? 'yes' : 'no'];
};

test('the page on errors has every problem of playback as in the registry, with what to do', () => {
  const codes = Object.keys(playbackProblems) as (keyof typeof playbackProblems)[];
  const expected = codes.map((code) => [...beginning(code), playbackGuidance[code].whatToDo]);
  expect(rowsIn('Playback').sort()).toEqual(expected.sort());
});

test('the page on errors says for every problem of playback who must act and what to tell a viewer', () => {
  const expected = Object.entries(playbackGuidance).map(([code, { whoActs, toViewers }]) => [
    `\`${code}\``,
    whoActs,
    toViewers,
  ]);
  expect(rowsIn('Messages for viewers').sort()).toEqual(expected.sort());
  const messages = Object.values(playbackGuidance).map(({ toViewers }) => toViewers);
  expect(messages.filter((text) => Object.keys(playbackProblems).some((code) => text.includes(code)))).toEqual([]);
});

test('the page on errors has every problem of the control plane as in the registry, with what to do', () => {
  const codes = Object.keys(controlPlaneProblems) as (keyof typeof controlPlaneProblems)[];
  const expected = codes.map((code) => [...beginning(code), controlPlaneGuidance[code]]);
  expect(rowsIn('Control plane').sort()).toEqual(expected.sort());
});

test('the example of a problem is one of the registry', () => {
  const { type, title, status, code, retryable } = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? '');
  const { title: registered, ...rest } = playbackProblems.invalid_request;
  expect({ type, title, code }).toEqual({
    type: 'urn:multi-drm:problem:invalid_request',
    title: registered,
    code: 'invalid_request',
  });
  expect(rest).toMatchObject({ status, retryable });
});

test('no page names an unknown problem code after a status', () => {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((name) => [...read(name).matchAll(/\b[45]\d\d `(\w+)`/g)].map(([, code = '']) => code));
  expect(named.filter((code) => !(code in problemRegistry))).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
});
