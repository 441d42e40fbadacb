import { headerErrors } from './header-validation';

const message = 'contains a credential and belongs in secretHeaders, which are encrypted and never shown';

test.each([
  ...['Authorization', 'X-Authorization', 'cookie', 'X-Api-Key', 'apikey', 'api_key', 'x-access-token', 'X-Auth'],
  ...['Ocp-Apim-Subscription-Key', 'x-functions-key', 'X-Client-Secret', 'X-Password', 'x-amz-security-token'],
])('a plain header named %s is rejected with a pointer to secretHeaders', (name) => {
  expect(headerErrors({ headers: { [name]: 'a' } })).toEqual({ [`backend.headers.${name}`]: [message] });
  expect(headerErrors({ secretHeaders: { [name]: 'a' } })).toEqual({});
});

test.each(['X-Tenant', 'X-Author', 'X-Tokenizer', 'X-Key-Id', 'Accept', 'X-Cookies-Allowed', 'Monkey'])(
  'a plain header named %s is accepted',
  (name) => {
    expect(headerErrors({ headers: { [name]: 'a' } })).toEqual({});
  },
);

test('Proxy-Authorization belongs to the connection and is rejected in both', () => {
  const messages = ['belongs to the connection and cannot be configured'];
  expect(headerErrors({ headers: { 'Proxy-Authorization': 'a' } })).toEqual({
    'backend.headers.Proxy-Authorization': messages,
  });
  expect(headerErrors({ secretHeaders: { 'Proxy-Authorization': 'a' } })).toEqual({
    'backend.secretHeaders.Proxy-Authorization': messages,
  });
});

test('the signed policy may be sent under any of these names, because it is generated for each call', () => {
  expect(headerErrors({ policyHeader: 'Authorization' })).toEqual({});
});
