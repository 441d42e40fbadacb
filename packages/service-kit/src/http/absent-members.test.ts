import type { OpenApiDocument } from '@multi-drm/contracts';
import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingsService } from '../testing/things-service';
import { absentMembersOf } from './absent-members';

const text = { type: 'string' };
const documentWith = (schemas: object): OpenApiDocument => ({
  ...thingsDocument,
  components: { schemas: { ...schemas } },
});
const without = (body: unknown, schema: object, schemas: object = {}) =>
  absentMembersOf(documentWith(schemas), schema)(body);
const objectOf = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

describe('null', () => {
  test('of an optional member that does not allow it counts as absent, at every level', () => {
    const track = objectOf({ widevine: objectOf({ hdcp: text }), name: text });
    const schema = objectOf({
      policy: objectOf({ height: text, tracks: { type: 'array', items: track } }),
      name: text,
    });
    const body = {
      name: null,
      policy: { height: null, tracks: [{ name: 'a', widevine: { hdcp: null } }, { widevine: null }] },
    };
    expect(without(body, schema)).toEqual({ policy: { tracks: [{ name: 'a', widevine: {} }, {}] } });
  });

  test.each([
    ['by its type', { type: ['string', 'null'] }],
    ['by one of its alternatives', { oneOf: [text, { type: 'null' }] }],
    ['by its enumeration', { enum: ['a', null] }],
    ['because it allows anything', {}],
    ['by reference', { $ref: '#/components/schemas/Maybe' }],
  ])('stays if the member allows it %s', (_how, member) => {
    const schemas = { Maybe: { type: ['integer', 'null'] } };
    expect(without({ member: null }, objectOf({ member }), schemas)).toEqual({ member: null });
  });

  test('of a required member stays, so that it is reported', () => {
    expect(without({ name: null }, objectOf({ name: text }, { required: ['name'] }))).toEqual({ name: null });
  });

  test('of an unknown member stays, so that it is reported', () => {
    expect(without({ nmae: null }, objectOf({ name: text }, { additionalProperties: false }))).toEqual({ nmae: null });
    expect(without({ constructor: null }, objectOf({}))).toEqual({ constructor: null });
  });

  test('in free-form data stays, and in a map of strings it counts as absent', () => {
    const schema = objectOf({
      reporting: { type: 'object', additionalProperties: true },
      headers: { type: 'object', additionalProperties: text },
    });
    const body = { reporting: { a: null, b: { c: null } }, headers: { A: null, B: 'b' } };
    expect(without(body, schema)).toEqual({ reporting: body.reporting, headers: { B: 'b' } });
  });

  test('as an item of an array, or as the whole body, stays', () => {
    expect(without([null], { type: 'array', items: text })).toEqual([null]);
    expect(without(null, objectOf({ name: text }))).toBeNull();
  });

  test('is judged by all parts of a schema, and in a union by the member that the constants select', () => {
    const form = (type: string, properties: object) => objectOf({ type: { const: type }, ...properties });
    const forms = [form('a', { url: text }), form('b', { key: { type: ['string', 'null'] }, url: text })];
    const byUnion = { oneOf: forms.map((_, index) => ({ $ref: `#/components/schemas/Form${index}` })) };
    const when = (type: string, index: number) => ({
      if: form(type, {}),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: forms[index],
    });
    const byCondition = { allOf: [when('a', 0), when('b', 1)] };
    for (const schema of [byUnion, byCondition]) {
      const clean = (body: object) => without(body, schema, { Form0: forms[0], Form1: forms[1] });
      expect(clean({ type: 'a', url: null, key: null })).toEqual({ type: 'a', key: null });
      expect(clean({ type: 'b', url: null, key: null })).toEqual({ type: 'b', key: null });
      expect(clean({ type: 'c', url: null })).toEqual({ type: 'c', url: null });
    }
  });
});

describe('an empty value', () => {
  const empty = { 'x-empty-is-absent': true };
  const schema = objectOf({
    application: { type: 'string', minLength: 1, ...empty },
    hints: {
      type: ['object', 'null'],
      properties: { platform: { type: ['string', 'null'], ...empty }, systems: { type: ['array', 'null'], ...empty } },
      additionalProperties: empty,
      ...empty,
    },
    title: text,
    list: { type: 'array' },
  });

  test.each([
    [{ application: '', hints: null }, {}],
    [{ hints: { platform: null, systems: null, unknown: null, other: {} } }, {}],
    [
      { hints: { platform: '', systems: [], unknown: '', another: { a: null } } },
      { hints: { systems: [], another: { a: null } } },
    ],
    [
      { application: ' ', hints: { known: 0, flag: false } },
      { application: ' ', hints: { known: 0, flag: false } },
    ],
  ])('counts as absent if the schema says so: %j', (body, kept) => {
    expect(without(body, schema)).toEqual(kept);
  });

  test('stays everywhere else', () => {
    expect(without({ title: '', list: [] }, schema)).toEqual({ title: '', list: [] });
  });
});

test('a reference to a missing schema is an error', () => {
  expect(() => without({}, { $ref: '#/components/schemas/Gone' })).toThrow(
    '#/components/schemas/Gone is not in the document',
  );
});

describe('a route', () => {
  test('passes its handler the body without absent values', async () => {
    const bodies: object[] = [];
    const { app } = thingsService({
      handlers: {
        createThing: async ({ body }) => {
          bodies.push(body);
          return { status: 201, body: { name: 'a' } };
        },
      },
    });
    const post = (body: object) => supertest(app).post('/api/v1/things').set('Authorization', 'let-me-in').send(body);
    await post({ name: 'a', ownerId: null, expiresAt: null, limit: null, labels: { a: null } }).expect(201);
    expect(bodies).toEqual([{ name: 'a', limit: null, labels: { a: null } }]);
    const { body } = await post({ name: null, nothing: null, languages: [null] }).expect(400);
    expect(Object.keys(body.errors).sort()).toEqual(['languages[0]', 'name', 'nothing']);
  });
});
