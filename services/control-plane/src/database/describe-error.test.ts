import { describeError } from './describe-error';

test('an error is described by its message', () => {
  expect(describeError(new Error('refused'))).toBe('refused');
});

test('the errors of several addresses are described one by one', () => {
  expect(describeError(new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]))).toBe(
    '::1 refused; 127.0.0.1 refused',
  );
});

test('a thrown value that is not an error is described as it is', () => {
  expect(describeError('refused')).toBe('refused');
});
