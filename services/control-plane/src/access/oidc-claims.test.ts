import { claimNamed } from './oidc-claims';

test.each<[string, object, unknown]>([
  ['role', { role: 'admin' }, 'admin'],
  ['https://example.com/role', { 'https://example.com/role': 'admin' }, 'admin'],
  ['realm_access.roles', { realm_access: { roles: ['admin'] } }, ['admin']],
  ['realm_access.roles', { 'realm_access.roles': 'literal', realm_access: { roles: 'path' } }, 'literal'],
  ['resource_access.my.client.roles', { resource_access: { 'my.client': { roles: ['admin'] } } }, ['admin']],
  ['realm_access.roles', { realm_access: { groups: [] } }, undefined],
  ['realm_access.roles', { realm_access: null }, undefined],
  ['roles.0', { roles: ['admin'] }, undefined],
  ['roles.length', { roles: 'admin' }, undefined],
  ['constructor.name', {}, undefined],
])('the claim %s of %j is %j', (name, claims, value) => {
  expect(claimNamed(claims, name)).toEqual(value);
});
