import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playbackProblems } from './registry';

const contract = readFileSync(join(__dirname, '../../../../docs/contract-v1.md'), 'utf8');

test('Contract v1 lists every problem code of playback once, with its status and whether it is retryable', () => {
  const section = contract.split(/^## /m).find((text) => text.startsWith('Problems\n')) ?? '';
  const listed = [...section.matchAll(/^\| (\d{3}) +\| (.*?) *\|$/gm)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`( \(retryable)?/g)].map(([, code = '', retryable]) => ({
      code,
      status: Number(status),
      retryable: retryable !== undefined,
    })),
  );
  const byCode = (one: { code: string }, other: { code: string }) => one.code.localeCompare(other.code);
  const registered = Object.entries(playbackProblems).map(([code, { status, retryable }]) => ({
    code,
    status,
    retryable,
  }));
  expect(listed.sort(byCode)).toEqual(registered.sort(byCode));
});
