import supertest from 'supertest';
import { thingsService } from '../testing/things-service';
import { maximumBodyBytes } from './bodies';
import { parseStrictly } from './strict-json';

const { app } = thingsService();

const post = (body: string) =>
  supertest(app)
    .post('/api/v1/things')
    .set({ Authorization: 'let-me-in', 'Content-Type': 'application/json' })
    .send(body);

const twice = ['is given twice'];
const notAllowed = ['is not an allowed name'];
const inexact = ['is a number that cannot be represented exactly'];

describe('a member that is given twice', () => {
  test.each<[string, Record<string, string[]>]>([
    ['{"name":"a","name":"a"}', { name: twice }],
    ['{"name":"a","n\\u0061me":"b"}', { name: twice }],
    ['{"name":"a","labels":{"a":1,"b":2,"a":3,"b":4}}', { 'labels.a': twice, 'labels.b': twice }],
    ['{"name":"a","manifests":[{"url":"a"},{"url":"a","url":"b"}]}', { 'manifests[1].url': twice }],
    ['{"name":"a","labels":{},"name":[],"name":{}}', { name: twice }],
    ['{"":1,"":2}', { '': twice }],
  ])('is reported: %s', async (body, errors) => {
    expect((await post(body)).body).toMatchObject({ status: 400, code: 'invalid_request', errors });
  });

  test.each(['{"name":"a","labels":{"name":1,"a":{"name":1},"b":{"name":1},"Name":2}}', '{"name":"a\\"name\\":"}'])(
    'is accepted in different objects, or with a different spelling: %s',
    async (body) => {
      expect((await post(body)).status).toBe(201);
    },
  );

  test('cannot hide depth or the number of values', async () => {
    const excessive = { body: ['contains more than 2000 values, or nests more than 32 levels deep'] };
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect((await post(`{"name":${deep},"name":"a"}`)).body.errors).toEqual(excessive);
    expect((await post(`{"name":[${'0,'.repeat(2_000)}0],"name":"a"}`)).body.errors).toEqual(excessive);
  });

  test('is reported for at most a hundred fields', async () => {
    const members = Array.from({ length: 500 }, (_, index) => `"m${index}":0,"m${index}":0`);
    expect(Object.keys((await post(`{${members.join()}}`)).body.errors)).toHaveLength(100);
  });
});

describe('a name that reaches prototypes', () => {
  test.each<[string, Record<string, string[]>]>([
    ['{"name":"a","labels":{"__proto__":{"admin":true}}}', { 'labels.__proto__': notAllowed }],
    ['{"name":"a","labels":{"\\u005f_proto__":"x"}}', { 'labels.__proto__': notAllowed }],
    ['{"name":"a","labels":{"constructor":{"prototype":{}}}}', { 'labels.constructor.prototype': notAllowed }],
    ['{"name":"a","__proto__":null}', { ['__proto__']: notAllowed }],
  ])('is refused: %s', async (body, errors) => {
    const { body: answer } = await post(body);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(Object.entries(answer.errors)).toEqual(Object.entries(errors));
  });

  test('is accepted as a value or in another place', async () => {
    expect((await post('{"name":"__proto__","labels":{"constructor":"Ada","prototype":"x"}}')).status).toBe(201);
  });
});

describe('a number', () => {
  const send = (number: string) => post(`{"name":"a","labels":{"deep":[0,${number}]}}`);

  test.each([
    ...['9007199254740993', '-9007199254740993', '9007199254740993.0', '9.007199254740993e15', '1e400', '-1e400'],
    ...['123456789012345678901234567890', '1e-400', '0.1234567890123456789', `1${'0'.repeat(400)}`],
  ])('that parsing would change is rejected: %s', async (number) => {
    expect((await send(number)).body).toMatchObject({ status: 400, errors: { 'labels.deep[1]': inexact } });
  });

  test.each([
    ...['0', '-0', '0.0', '0e5', '1.0', '100', '1e2', '1E+2', '-17.250', '9007199254740991', '9007199254740994'],
    ...['1e21', '1e300', '1000000000000000000000', '0.1', '0.10000000000000001', '5e-324', '1.7976931348623157e308'],
    ...['3.141592653589793', '1e-7', '123456789.12345678'],
  ])('that parsing keeps is accepted: %s', async (number) => {
    expect((await send(number)).status).toBe(201);
  });
});

test.each([
  ['zeros', `{"a":0.${'0'.repeat(maximumBodyBytes - 10)}1}`],
  ['digits', `{"a":${'9'.repeat(maximumBodyBytes - 10)}}`],
  ['one long name', `{"${'a'.repeat(maximumBodyBytes - 10)}":0}`],
  ['escapes', `{"a":"${'\\u0061'.repeat(10_000)}"}`],
  ['brackets', '['.repeat(32_000) + ']'.repeat(32_000)],
  ['names given twice', `{${'"a":0,'.repeat(1_900)}"a":0}`],
])('a body full of %s is parsed quickly', (_what, text) => {
  // CPU time, so that other load on the machine does not count.
  const started = process.cpuUsage();
  try {
    parseStrictly(text);
  } catch {
    // Rejected or not, it must be fast.
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
});
