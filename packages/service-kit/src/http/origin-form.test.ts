import { originForm } from './origin-form';

test.each([
  ['/a/b?c=d', '/a/b?c=d'],
  ['//a', '//a'],
  ['http://host/a/b?c=d', '/a/b?c=d'],
  ['HTTPS://host:8443/a', '/a'],
  ['http://[::1]:8080/a', '/a'],
  ['http://host', '/'],
  ['http://host?c=d', '/?c=d'],
  ['http://host//a', '//a'],
  ['http://host/http://other/a', '/http://other/a'],
  ['ftp://host/a', 'ftp://host/a'],
  ['*', '*'],
])('the origin form of %s is %s', (target, path) => {
  expect(originForm(target)).toBe(path);
});
