import { keptAnswer } from './kept-answer';

const answer = (type: string, body: Buffer | string) =>
  keptAnswer({ status: 500, headers: { 'content-type': type }, body: Buffer.from(body) }, [
    'Bearer s3cret-of-academy',
    'on',
  ]);

test.each(['text/plain; charset=utf-8', 'text/html', 'application/json', 'application/problem+json'])(
  'the text of an answer of type %s is kept',
  (type) => {
    expect(answer(type, 'it broke')).toBe('it broke');
  },
);

test.each(['application/octet-stream', 'image/png', ''])('an answer of type "%s" is not kept', (type) => {
  expect(answer(type, 'it broke')).toBeNull();
});

test('of a long text, the first kibibyte is kept, without half a character', () => {
  expect(answer('text/plain', `${'x'.repeat(1_023)}ü`)).toBe('x'.repeat(1_023));
});

test('bytes that PostgreSQL refuses in a text are replaced', () => {
  expect(answer('text/plain', Buffer.from([0x61, 0x00, 0xff]))).toBe('a\uFFFD\uFFFD');
});

test('values of secret headers that the receiver repeats are masked, also at the end of what is kept', () => {
  expect(answer('text/plain', 'no Bearer s3cret-of-academy, no s3cret-of-academy, but on')).toBe(
    'no ***, no ***, but on',
  );
  expect(answer('text/plain', `${'x'.repeat(1_020)}s3cret-of-academy`)).toBe(`${'x'.repeat(1_020)}***`);
});

test('a value that begins with another one is masked as a whole, and so is one that JSON escapes', () => {
  const body = JSON.stringify({ key: 'academy-9f31c0', password: 'a "quoted" one' });
  const received = { status: 500, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  const kept = keptAnswer(received, ['academy', 'academy-9f31c0', 'a "quoted" one']);
  expect(kept).toBe('{"key":"***","password":"***"}');
});
