import { csvOf } from './csv';

test('a table is written as RFC 4180 says: lines end with CR and LF, and commas, quotes and line breaks are quoted', () => {
  const rows = [
    ['value', 'number'],
    ['a,b', 1.5],
    ['say "no"', null],
    ['two\nlines', 0],
  ];
  expect(csvOf(rows)).toBe('value,number\r\n"a,b",1.5\r\n"say ""no""",\r\n"two\nlines",0\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1+1'])(
  'a text such as %j is no formula in a spreadsheet',
  (text) => {
    const [, row = ''] = csvOf([['value'], [text]]).split(/\r\n(?="?')/);
    expect(row.replace(/^"/, '')).toMatch(/^'/);
  },
);

test('no part of a text is a formula where semicolons separate cells', () => {
  expect(csvOf([['web;=1+1;@SUM(A1);b-2']])).toBe("web;'=1+1;'@SUM(A1);b-2\r\n");
});

test('a negative number stays a number', () => {
  expect(csvOf([['number'], [-1]])).toBe('number\r\n-1\r\n');
});
