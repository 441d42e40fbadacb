import { readArguments } from './command-arguments';

const usage = 'usage: tidy [--all]';
const command = { usage, options: ['all'] };

test.each(['--help', '-h'])('%s prints the usage, whatever else is asked for', (help) => {
  expect(readArguments(command, [help])).toEqual({ text: `${usage}\n`, exitCode: 0 });
  expect(readArguments(command, ['--all', help])).toEqual({ text: `${usage}\n`, exitCode: 0 });
});

test('known options are returned', () => {
  expect(readArguments(command, [])).toEqual({ options: new Set() });
  expect(readArguments(command, ['--all'])).toEqual({ options: new Set(['all']) });
});

test.each([
  ['--hlep', "Unknown option '--hlep'"],
  ['-a', "Unknown option '-a'"],
  ['everything', "Unexpected argument 'everything'"],
  ['--all=no', "Option '--all' does not take an argument"],
])('%s is refused by name, with the usage', (argument, message) => {
  const asked = readArguments(command, [argument]);
  expect(asked).toEqual({ text: expect.stringContaining(message), exitCode: 1 });
  expect(asked).toEqual({ text: expect.stringContaining(usage), exitCode: 1 });
});
