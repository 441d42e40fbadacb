import { comparisonKey, emailComparisonKey } from './comparison-key';

test.each([
  ['  Acme   GmbH ', 'acme gmbh'],
  ['ACME\u00a0GmbH', 'acme gmbh'],
  ['Acme\tGmbH\n', 'acme gmbh'],
  ['Ａｃｍｅ GmbH', 'acme gmbh'],
  ['Cafe\u0301', 'caf\u00e9'],
])('%j is normalized to %j', (text, compared) => {
  expect(comparisonKey(text)).toBe(compared);
});

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['JOSE\u0301@example.com', 'josé@example.com'],
  ['Info@ПОШТА.укр', 'info@xn--80a1acn3a.xn--j1amh'],
  ['info@mail.bücher.ex', 'info@mail.xn--bcher-kva.ex'],
  // Also what former releases have stored.
  ['Info@xn--80a1acn3a.XN--J1AMH', 'info@xn--80a1acn3a.xn--j1amh'],
  ['info@xn--', 'info@xn--'],
  ['пошта.укр', 'пошта.укр'],
  ['Acme@Bücher /x', 'acme@bücher /x'],
  ['xn--80a1acn3a.xn--j1amh', 'xn--80a1acn3a.xn--j1amh'],
  ['Acme@xn--80a1acn3a /x', 'acme@xn--80a1acn3a /x'],
])('the address %j is normalized to %j', (address, compared) => {
  expect(emailComparisonKey(address)).toBe(compared);
});
