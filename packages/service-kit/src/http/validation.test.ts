import { Problem } from '@multi-drm/contracts';
import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingPath, thingsService } from '../testing/things-service';

const { app, handled } = thingsService();

const get = (query: string) => supertest(app).get(`/api/v1/things${query}`).set('Authorization', 'let-me-in');
const post = (body: object | string) =>
  supertest(app)
    .post('/api/v1/things')
    .set({ Authorization: 'let-me-in', 'Content-Type': 'application/json' })
    .send(body);

beforeEach(() => {
  handled.length = 0;
});

describe('a body', () => {
  test('gets all its errors together, each with the path of its field', async () => {
    const response = await post({
      name: '',
      contentId: 'x'.repeat(201),
      ownerId: 'nobody',
      expiresAt: 'tomorrow',
      limit: '7',
      languages: ['en', 'not a language'],
      manifests: [{ url: 'ftp://a' }, {}, { url: 'https://cdn.example/a.mpd', type: 'dash' }],
      licensePolciy: {},
    });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(response.body.errors).toEqual({
      name: ['must have at least 1 character'],
      contentId: ['must be 1 to 200 bytes of UTF-8 without control characters'],
      ownerId: ['must be a UUID'],
      expiresAt: ['must be an RFC 3339 time, such as 2026-01-31T12:00:00Z'],
      limit: ['must be a whole number or null'],
      'languages[1]': ['must be a BCP 47 language tag'],
      'manifests[0].url': ['must be an absolute http or https URL (RFC 3986) without credentials'],
      'manifests[1].url': ['is required'],
      'manifests[2].type': ['is not a known field'],
      licensePolciy: ['is not a known field'],
    });
    expect(handled).toEqual([]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty'])(
    'with the unknown field %s is rejected by that name',
    async (name) => {
      const response = await post(`{"name":"a","${name}":{"admin":true}}`);
      expect(response.status).toBe(400);
      expect(response.text).toContain(`"errors":{"${name}":["is not a known field"]}`);
      expect(response.body.detail).toBe(`Invalid: ${name}.`);
    },
  );

  test('with hundreds of errors is answered with a hundred of them', async () => {
    const invalid = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`field${i}`, 1]));
    const response = await post(invalid);
    expect(Object.keys(response.body.errors)).toHaveLength(100);
    expect(response.text.length).toBeLessThan(10_000);
  });

  test('is not converted', async () => {
    expect((await post({ name: 17 })).body.errors).toEqual({ name: ['must be a string'] });
    expect((await post({ name: 'a', limit: true })).body.errors).toEqual({ limit: ['must be a whole number or null'] });
  });

  test('may contain escaped surrogate pairs, but no lone surrogate', async () => {
    expect((await post('{"name":"\\ud83d\\ude00"}')).status).toBe(201);
    expect((await post('{"name":"\\ud83d"}')).body.errors).toEqual({
      name: ['must not contain control characters or unpaired surrogates, or consist of invisible characters only'],
    });
  });
});

describe('a path parameter and a header', () => {
  test('are reported by their names in the document', async () => {
    const response = await supertest(app)
      .patch(thingPath.replace(/environments\/[^/]*/, 'environments/7').replace('lamp', 'l'.repeat(21)))
      .set({ Authorization: 'let-me-in', 'if-match': '"0123456789"' })
      .send({});
    expect(response.body.errors).toEqual({
      environmentId: ['must be a UUID'],
      name: ['must have at most 20 characters'],
      'If-Match': ['must have at most 10 characters'],
    });
  });
});

describe('a query', () => {
  test('that is empty gets the defaults, which are numbers', async () => {
    expect((await get('')).body).toEqual({ limit: 50, offset: 0 });
  });

  test('reaches the handler as strings', async () => {
    expect((await get('?limit=10&offset=20')).body).toEqual({ limit: '10', offset: '20' });
  });

  test.each(['1', '10', '200'])('may contain limit=%s', async (limit) => {
    expect((await get(`?limit=${limit}`)).status).toBe(200);
  });

  test.each(['0', '1', '-0', '2147483647'])('may contain offset=%s', async (offset) => {
    expect((await get(`?offset=${offset}`)).status).toBe(200);
  });

  test.each([
    ...['0', '-0', '-1', '201', '01', '010', '1e1', '0x10', '%201', '10%20', '1.0', '%2B1', '2147483648', ''],
    ...['null', 'true', 'NaN', '1_0', '%D9%A1', '1%00', '9'.repeat(400), '%E0%A4%A'],
  ])('must not contain limit=%s', async (limit) => {
    const response = await get(`?limit=${limit}`);
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual({ limit: ['must be a whole number from 1 to 200'] });
    expect(handled).toEqual([]);
  });

  test.each(['-1', '00', '01', '1e1', '0x10', '%201', '2147483648', ''])(
    'must not contain offset=%s',
    async (offset) => {
      expect((await get(`?offset=${offset}`)).body.errors).toEqual({
        offset: ['must be a whole number from 0 to 2147483647'],
      });
    },
  );

  test('must not contain a raw plus sign, which is a space', async () => {
    expect((await get('?limit=+1')).body.errors).toEqual({ limit: ['must be percent-encoded'] });
  });

  test.each(['limit=1&limit=2', 'limit=1&limit=1', 'limit[]=1', 'limit[a]=1', 'limit[__proto__]=1&limit[b]=2'])(
    'must not contain %s',
    async (query) => {
      expect((await get(`?${query}`)).body.errors).toEqual({ limit: ['must be given once, as a single value'] });
    },
  );

  test('gets all its errors together, including unknown parameters', async () => {
    expect((await get('?limit=0&ofset=1&__proto__=2&__proto__[a]=2&constructor=3&kind=')).body.errors).toEqual({
      limit: ['must be a whole number from 1 to 200'],
      kind: ['must have at least 1 character'],
      ofset: ['is not a known parameter'],
      ['__proto__']: ['is not a known parameter'],
      constructor: ['is not a known parameter'],
    });
  });

  test('with only an unknown parameter wrong is rejected, on every route', async () => {
    expect((await get('?limit=1&Limit=1')).body.errors).toEqual({ Limit: ['is not a known parameter'] });
    const response = await supertest(app).delete(`${thingPath}?force=1`).set('Authorization', 'let-me-in');
    expect(response.body.errors).toEqual({ force: ['is not a known parameter'] });
    expect(handled).toEqual([]);
  });
});

describe('with response validation', () => {
  const call = async (reply: { status: number; body?: unknown }, validateResponses = true) => {
    const { app, logged } = thingsService({ validateResponses, handlers: { getThing: async () => reply } });
    const { status, body } = await supertest(app).get(thingPath).set('Authorization', 'let-me-in');
    return { status, body, errors: logged.filter(({ level }) => level === 'error').map(({ fields }) => fields?.error) };
  };
  const noSchema = (status: number) =>
    expect.objectContaining({ message: `no schema defined for status code '${status}' in the openapi spec` });

  test('a field of another type is an internal error that the log explains', async () => {
    expect(await call({ status: 200, body: { name: 17 } })).toEqual({
      status: 500,
      body: expect.objectContaining({ code: 'internal_error' }),
      errors: [expect.objectContaining({ message: '/response/name must be string' })],
    });
  });

  test.each([{ name: 'a', createdAt: 'yesterday' }, {}, [], 'text'])('so is a response such as %j', async (body) => {
    expect((await call({ status: 200, body })).status).toBe(500);
  });

  test('so is an undeclared status, with and without a body', async () => {
    expect(await call({ status: 202, body: { name: 'a' } })).toMatchObject({ status: 500, errors: [noSchema(202)] });
    expect(await call({ status: 204 })).toMatchObject({ status: 500, errors: [noSchema(204)] });
  });

  test('so is a missing body, or an undeclared one', async () => {
    expect((await call({ status: 200 })).status).toBe(500);
    const { app } = thingsService({ handlers: { releaseThing: async () => ({ status: 204, body: { name: 'a' } }) } });
    expect((await supertest(app).delete(thingPath).set('Authorization', 'let-me-in')).status).toBe(500);
  });

  test('so is a problem with an undeclared status, or of another form', async () => {
    const { app } = thingsService({
      handlers: {
        getThing: async () => {
          throw new Problem('conflict', 'No.');
        },
        releaseThing: async () => {
          throw new Problem('invalid_request', 'No.', { members: { limit: 'three' } });
        },
      },
    });
    // The error handler has already run, so the explanation comes from Express.
    const undeclared = await supertest(app).get(thingPath).set('Authorization', 'let-me-in');
    expect(undeclared.status).toBe(500);
    expect(undeclared.text).toContain('no schema defined for status code');
    const deformed = await supertest(app).delete(thingPath).set('Authorization', 'let-me-in');
    expect(deformed.status).toBe(500);
    expect(deformed.text).toContain('/response/limit must be integer');
  });

  test('so is a problem of the access check', async () => {
    const refusing = (code: 'permission_denied' | 'authentication_required') =>
      supertest(
        thingsService({
          authorize: () => {
            throw new Problem(code, 'No.');
          },
        }).app,
      ).get(thingPath);
    expect((await refusing('authentication_required')).status).toBe(401);
    expect((await refusing('permission_denied')).status).toBe(500); // 403 is not declared
  });

  test('a valid response is sent', async () => {
    expect(await call({ status: 200, body: { name: 'a' } })).toEqual({ status: 200, body: { name: 'a' }, errors: [] });
  });

  test('nothing is checked unless enabled', async () => {
    expect(await call({ status: 202, body: { name: 17 } }, false)).toMatchObject({ status: 202, body: { name: 17 } });
  });
});

describe('a query of an operation that players or monitors call', () => {
  const operation = { ...(thingsDocument.paths['/api/v1/things']?.get as object), 'x-called-by': 'players' };
  const paths = {
    ...thingsDocument.paths,
    '/api/v1/things': { ...thingsDocument.paths['/api/v1/things'], get: operation },
  };
  const open = thingsService({ document: { ...thingsDocument, paths } });
  const ask = (query: string) => supertest(open.app).get(`/api/v1/things?${query}`).set('Authorization', 'let-me-in');

  test.each([
    'CMCD=br%3D3200%2Csid%3D%226e2fb550%22',
    'CMCD=br=3200,sid="6e2fb550"',
    'assetId=42&_=1764331200',
    'a[b]=c&a[]=d&a=1&a=2',
    '%ff=%00&__proto__=1&&=&x',
  ])('may contain anything else, such as %s', async (query) => {
    expect((await ask(query)).body).toEqual({ limit: 50, offset: 0 });
    expect((await get(`?${query}`)).status).toBe(400);
  });

  test('must not contain an invalid value of its own parameters', async () => {
    const { status, body } = await ask('CMCD=1&limit=0');
    expect([status, Object.keys(body.errors)]).toEqual([400, ['limit']]);
  });
});

test('thousands of content types do not make the validator compile anything', async () => {
  const { app } = thingsService({ validateResponses: false });
  const call = async (type: string) => {
    const json = `application/json; a=${type}`;
    await supertest(app).delete(thingPath).set({ Authorization: 'let-me-in', 'Content-Type': type });
    await supertest(app).post('/api/v1/things').set({ Authorization: 'let-me-in', 'Content-Type': json });
  };
  await call('text/a');
  const compiled = jest.spyOn(global, 'Function');
  for (let i = 0; i < 5; i += 1) await call(`text/${i}`);
  expect(compiled).not.toHaveBeenCalled();
  compiled.mockRestore();
});
