import { Problem } from '@multi-drm/contracts';
import { etagOf, parseIfMatch } from './if-match';

const codeOf = (header: string | undefined) => {
  try {
    return parseIfMatch(header);
  } catch (error) {
    return error instanceof Problem ? error.code : error;
  }
};

test('the ETag of a version is parsed back to that version', () => {
  expect(parseIfMatch(etagOf(7))).toEqual([7]);
});

test.each<[string, number[]]>([
  ['"1", "2"', [1, 2]],
  ['"1","2" ,\t"3"', [1, 2, 3]],
  [',"1",, "2",', [1, 2]],
  ['"a,b", "2"', [2]],
  ['W/"1"', [1]],
  ['W/"1", "2"', [1, 2]],
  ['"2-gzip"', [2]],
  ['W/"2-gzip", "3--gzip"', [2, 3]],
  ['"2;gzip", "3-br", "4-zstd", "5--deflate"', [2, 3, 4, 5]],
  ['"2-gzi"', []],
  ['"2-gzip-gzip"', []],
  ['"2gzip"', []],
  ['"-gzip"', []],
  ['"01"', []],
  ['"-1"', []],
  ['"1e1"', []],
  ['"0"', []],
  ['"99999999999999999999"', []],
  ['""', []],
  ['', []],
])('%j names the versions %j', (header, versions) => {
  expect(parseIfMatch(header)).toEqual(versions);
});

test('a star matches any version', () => {
  expect(parseIfMatch('*')).toBe('any');
  expect(parseIfMatch(' * ')).toBe('any');
});

test('an absent header is precondition_required', () => {
  expect(codeOf(undefined)).toBe('precondition_required');
});

test.each(['1', '"1', '1"', '"1" "2"', '"1"x', 'w/"1"', 'W/1', '*, "1"', '"1", *', "'1'"])(
  '%j, which is not a list of entity tags, is precondition_failed',
  (header) => {
    expect(codeOf(header)).toBe('precondition_failed');
  },
);
