import { ReplyReader } from './reply-reader';

const text = (value: string) => Buffer.from(value);

describe('a reader of replies', () => {
  it('reads values in order, and lists within them', () => {
    const reader = new ReplyReader([text('ä'), 7, [1, 2], text(''), text('12')]);
    expect([reader.text(), reader.integer(), reader.list((list) => list.rest((one) => one.integer()))]).toEqual([
      'ä',
      7,
      [1, 2],
    ]);
    expect([reader.limit(), reader.limit()]).toEqual([null, 12]);
    expect(() => reader.requireEnd()).not.toThrow();
  });

  it('rounds microseconds down', () => {
    expect(new ReplyReader([1_999]).microseconds()).toEqual(new Date(1));
  });

  it.each<[string, unknown, (reader: ReplyReader) => unknown]>([
    ['a reply that is not a list', 'OK', (reader) => reader.requireEnd()],
    ['one value too few', [], (reader) => reader.integer()],
    ['one value too many', [1], (reader) => reader.requireEnd()],
    ['one value too many in a list', [[1, 2]], (reader) => reader.list((list) => list.integer())],
    ['a string in place of an integer', [text('1')], (reader) => reader.integer()],
    ['a number that is not an integer', [1.5], (reader) => reader.integer()],
    ['an integer that is not exact', [2 ** 53], (reader) => reader.milliseconds()],
    ['an integer in place of a string', [1], (reader) => reader.text()],
    ['null in place of a string', [null], (reader) => reader.bytes()],
    ['a limit that is not a number', [text('1e3')], (reader) => reader.limit()],
    ['an empty number', [text('')], (reader) => reader.integerAsText()],
  ])('throws for %s', (_name, reply, read) => {
    expect(() => read(new ReplyReader(reply))).toThrow(TypeError);
  });
});
