import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startControlPlane, type TestControlPlane } from './testing/control-plane';
import { bearer, createTenant, newContent, newRegistration, type TestTenant } from './testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const registrations = '/api/v1/organizations/registrations';
const post = (body: string | object) => controlPlane.api.post(registrations).type('application/json').send(body);
const contentUrl = () => `/api/v1/management/environments/${tenant.development}/content`;

test('an unknown field is named in the error, on every level', async () => {
  const registration = newRegistration();
  const { body } = await post({
    ...registration,
    compnayName: 'x',
    administrator: { ...registration.administrator, phone: '1' },
  }).expect(400);
  expect(body.errors).toEqual({
    compnayName: ['is not a known field'],
    'administrator.phone': ['is not a known field'],
  });
});

test('all validation errors of all fields are reported together', async () => {
  const { body } = await post({
    companyName: '',
    country: 'XX',
    website: 'ftp://example.com',
    planId: 'enterprise',
    administrator: { name: 'Ada', email: 'ada' },
    agreement: { accepted: true },
  }).expect(400);
  expect(Object.keys(body.errors).sort()).toEqual([
    'administrator.email',
    'agreement.version',
    'companyName',
    'country',
    'planId',
    'website',
  ]);
});

test.each([
  ['cut short', '{"companyName": "x"'],
  ['with a trailing comma', '{"companyName": "x",}'],
  ['that is a bare word', 'hello'],
  ['that is a bare number', '42'],
  ['that is null', 'null'],
  ['that is a list', '[]'],
  ['that is empty', ''],
  ['nested far too deep', '['.repeat(8_000)],
])('a body %s is a validation error', async (_case, text) => {
  const { body } = await post(text).expect(400);
  expect(body.code).toBe('invalid_request');
});

test('a missing body is a validation error, even if the schema requires no member', async () => {
  const { body } = await controlPlane.api
    .patch(`/api/v1/management/projects/${tenant.projectId}`)
    .set(bearer(tenant.key))
    .set({ 'If-Match': '*', 'Content-Type': 'application/json' })
    .expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors: { body: ['is required'] } });
});

test('a prototype in the body is rejected by name', async () => {
  const { body } = await post('{"__proto__": {"accepted": true}, "constructor": 1}').expect(400);
  expect(Object.keys(body.errors)).toEqual(['__proto__']);
});

describe('a free-form map', () => {
  const synchronize = (attributes: string) =>
    controlPlane.api
      .post(`/api/v1/management/projects/${tenant.projectId}/users`)
      .set(bearer(tenant.key))
      .type('application/json')
      .send(`{"subject": "student", "attributes": ${attributes}}`);

  test('keeps every accepted name and number', async () => {
    const attributes = '{"constructor":"Ada","toString":1,"0":"a","A":-9007199254740991,"a":0.1}';
    const { body } = await synchronize(attributes).expect(200);
    expect(body.attributes).toEqual(JSON.parse(attributes));
  });

  test.each([
    ['{"__proto__": "x"}', { 'attributes.__proto__': ['is not an allowed name'] }],
    ['{"level": 1, "l\\u0065vel": 2}', { 'attributes.level': ['is given twice'] }],
    ['{"account": 9007199254740993}', { 'attributes.account': ['is a number that cannot be represented exactly'] }],
  ])('with a member that cannot be stored exactly is rejected by name: %s', async (attributes, errors) => {
    const { body } = await synchronize(attributes).expect(400);
    expect(Object.entries(body.errors)).toEqual(Object.entries(errors));
  });

  test('of headers follows the same rules', async () => {
    const { body } = await controlPlane.api
      .put(`/api/v1/management/environments/${tenant.development}/drm-systems/widevine`)
      .set(bearer(tenant.key))
      .type('application/json')
      .send(
        `{"enabled": true, "backend": {"type": "http", "url": "https://a.example", "responseFormat": "raw",
          "headers": {"__proto__": "a"}, "secretHeaders": {"X-Key": "a", "X-Key": "b"}}}`,
      )
      .expect(400);
    expect(Object.entries(body.errors)).toEqual([
      ['backend.headers.__proto__', ['is not an allowed name']],
      ['backend.secretHeaders.X-Key', ['is given twice']],
    ]);
  });
});

test.each([
  ['a registration', 8 * 1024, (body: string) => post(body)],
  [
    'any other request',
    64 * 1024,
    (body: string) => controlPlane.api.post(contentUrl()).set(bearer(tenant.key)).type('application/json').send(body),
  ],
])('the body of %s may have %i bytes, and not one more', async (_request, bytes, send) => {
  const text = JSON.stringify({ ...newRegistration(), ...newContent() });
  const { body } = await send(text.padEnd(bytes)).expect(400);
  expect(body.errors).not.toHaveProperty('body');
  const { body: problem } = await send(text.padEnd(bytes + 1)).expect(413);
  expect(problem).toMatchObject({
    code: 'request_too_large',
    detail: `The body must not exceed ${bytes} bytes.`,
  });
});

test('the body of a registration has no more bytes after decompression either', async () => {
  const send = (bytes: number) => {
    const request = controlPlane.api.post(registrations).type('application/json').set('Content-Encoding', 'gzip');
    request.write(gzipSync('{}'.padEnd(bytes)));
    return request;
  };
  expect((await send(8 * 1024)).status).toBe(400);
  expect((await send(8 * 1024 + 1)).status).toBe(413);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
  'a body of type %s is not supported',
  async (type) => {
    const { body } = await controlPlane.api.post(registrations).set('Content-Type', type).send('x=1').expect(415);
    expect(body.code).toBe('unsupported_media_type');
  },
);

test.each(['\u0000', '\u0007', '\u009f', '\ud800'])('the character %j in a name is rejected', async (character) => {
  const { body } = await post(JSON.stringify({ ...newRegistration(), companyName: `A${character}B` })).expect(400);
  expect(body.errors).toEqual({
    companyName: [
      'must not contain control characters or unpaired surrogates, or consist of invisible characters only',
    ],
  });
});

test.each(['\u200b', '\u2060 \ufeff', '\u00ad\u034f', '\u3164', '\u{e0020}'])(
  'a name without visible characters is rejected: %j',
  async (name) => {
    const { body } = await post({ ...newRegistration(), companyName: name }).expect(400);
    expect(Object.keys(body.errors)).toEqual(['companyName']);
  },
);

test('a name of only white space is rejected', async () => {
  const { body } = await post({
    ...newRegistration(),
    companyName: ' ',
    administrator: { name: '\t\u00a0', email: 'ada@example.com' },
  }).expect(400);
  expect(body.errors).toEqual({ companyName: ['must not be blank'], 'administrator.name': ['must not be blank'] });
});

test.each([
  ['contentId', { contentId: 'a\u0000b' }],
  ['title', { title: 'a\u0000b' }],
  ['manifests[0].url', { manifests: [{ type: 'dash', url: 'https://a.example/\u0000', drmSystems: ['widevine'] }] }],
])('a NUL in the %s of content is rejected by name', async (field, changes) => {
  const { body } = await controlPlane.api
    .post(contentUrl())
    .set(bearer(tenant.key))
    .send({ ...newContent(), ...changes })
    .expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('text that looks like SQL is stored as text', async () => {
  const companyName = `Robert'); DROP TABLE organization;-- ${newRegistration().companyName}`;
  const { body } = await post({ ...newRegistration(), companyName }).expect(201);
  expect(body.companyName).toBe(companyName);
});

test('size, then credential, then syntax, then schema: the first that is wrong is answered', async () => {
  const send = (body: string, key?: string) => {
    const call = controlPlane.api.post(contentUrl()).type('application/json');
    return (key === undefined ? call : call.set(bearer(key))).send(body);
  };
  await send('{'.padEnd(64 * 1024 + 1)).expect(413);
  await send('{').expect(401);
  expect((await send('{', tenant.key).expect(400)).body.errors).toEqual({ body: ['is not valid JSON'] });
  expect((await send('{"unknown":true}', tenant.key).expect(400)).body.errors).toHaveProperty('unknown');
});

test('a path with malformed percent-encoding is a validation error', async () => {
  const { hostname, port } = new URL(controlPlane.api.get('/').url);
  const status = await new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path: '/api/v1/management/environments/%E0%A4%A/content' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(400);
});

test('invalid input never causes an internal error', () => {
  expect(controlPlane.log.filter(({ level }) => level === 'error')).toEqual([]);
});
