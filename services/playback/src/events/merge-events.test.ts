import { refusal } from '../testing/request-event';
import { mergeEvents } from './merge-events';

const start = refusal().at;
const viewers = (count: number, changes: Parameters<typeof refusal>[0] = {}) =>
  Array.from({ length: count }, (_, i) => refusal({ subject: `viewer-${i}`, at: start + i, ...changes }));

test('equal events are one, with their number and the time of the first', () => {
  const other = refusal({ code: 'content_not_found', at: start + 1 });
  const merged = mergeEvents([refusal(), other, refusal({ at: start + 2 }), refusal({ at: start + 3, count: 4 })]);
  expect(merged).toEqual([refusal({ count: 6 }), other]);
});

test('of more than fifty different refusals in an environment, the others are reported by their codes only', () => {
  const elsewhere = refusal({ environmentId: 'environment-2' });
  const known = refusal({ subject: 'viewer-3', at: start + 100 });
  const details = { contentId: 'lesson-0042', sessionId: 'session-1', limit: 3 };
  const late = refusal({ ...details, subject: 'late', code: 'concurrent_stream_limit_reached', at: start + 99 });
  const [first, ...others] = mergeEvents([...viewers(80), late, known, elsewhere]);
  expect(first).toEqual(refusal({ subject: 'viewer-0' }));
  expect(others).toHaveLength(50 - 1 + 3);
  expect(others[2]).toEqual(refusal({ subject: 'viewer-3', at: start + 3, count: 2 }));
  expect(others.slice(49)).toEqual([
    refusal({ subject: null, at: start + 50, count: 30 }),
    refusal({ subject: null, code: 'concurrent_stream_limit_reached', at: start + 99 }),
    elsewhere,
  ]);
});

test('of many, those of the sandbox keep the subject by which they are known, and no other subject that begins like it does', () => {
  const code = 'subject_blocked';
  const inSandbox = { subject: `sandbox:${code}`, code };
  const [known, unknown] = mergeEvents([
    ...viewers(50),
    refusal({ ...inSandbox, at: start + 60 }),
    refusal({ ...inSandbox, contentId: 'another', at: start + 61 }),
    refusal({ subject: 'sandbox:17', at: start + 62 }),
  ]).slice(50);
  expect(known).toEqual(refusal({ ...inSandbox, contentId: null, at: start + 60, count: 2 }));
  expect(unknown?.subject).toBeNull();
});

test('refused licenses count as refusals, issued ones do not', () => {
  const refused = viewers(60, { kind: 'license.refused' });
  const issued = viewers(60, { kind: 'license.issued', code: null });
  const merged = mergeEvents([...issued, ...refused]);
  expect(merged.filter(({ kind }) => kind === 'license.issued')).toEqual(issued);
  expect(merged.slice(60)).toEqual([
    ...refused.slice(0, 50),
    refusal({ kind: 'license.refused', subject: null, at: start + 50, count: 10 }),
  ]);
});

test('what is merged is not changed', () => {
  const [first, second] = [refusal(), refusal()];
  mergeEvents([first, second]);
  expect(first.count).toBe(1);
});
