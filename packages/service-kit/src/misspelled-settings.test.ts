import { misspelledSettings } from './misspelled-settings';

const known = ['HOST', 'PORT', 'REDIS_URL', 'SESSION_REQUESTS_PER_MINUTE'];
const said = (...names: string[]) =>
  misspelledSettings(Object.fromEntries(names.map((name) => [name, 'value'])), known).map((warning) =>
    warning.replace(/ is not a setting, and is ignored: (\w+) may be meant$/, ' → $1'),
  );

test.each([
  ['a letter is missing', 'SESSION_REQUEST_PER_MINUTE', 'SESSION_REQUESTS_PER_MINUTE'],
  ['two letters are missing', 'SESSION_REQUESTS_PER_MINU', 'SESSION_REQUESTS_PER_MINUTE'],
  ['there is a letter too many', 'REDIS_URLS', 'REDIS_URL'],
  ['a letter is another', 'REDIS_URI', 'REDIS_URL'],
  ['two letters are exchanged', 'PROT', 'PORT'],
  ['letters are exchanged twice', 'REDSI_ULR', 'REDIS_URL'],
  ['the letters are small', 'redis_url', 'REDIS_URL'],
])('a variable is named with the setting that may be meant if %s', (_case, name, meant) => {
  expect(said(name)).toEqual([`${name} → ${meant}`]);
});

test('the warning names both, and not the value', () => {
  expect(misspelledSettings({ REDIS_URI: 'redis://:hunter2@redis' }, known)).toEqual([
    'REDIS_URI is not a setting, and is ignored: REDIS_URL may be meant',
  ]);
});

test('nothing is said of settings, of variables that are empty, and of those that have another name', () => {
  expect(said(...known)).toEqual([]);
  expect(misspelledSettings({ REDIS_URI: '' }, known)).toEqual([]);
  expect(said('HOME', 'PATH', 'PWD', 'HOSTNAME', 'SESSION_REQUESTS_PER_HOUR', 'REDIS_USER', 'DATABASE_URL')).toEqual(
    [],
  );
});
