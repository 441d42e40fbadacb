import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator';
import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingPath, thingsService } from '../testing/things-service';

// Validators are made once for each document.
const { app } = thingsService({ document: structuredClone(thingsDocument), validateResponses: false });
const letIn = { Authorization: 'let-me-in' };
const create = (body: object) => supertest(app).post('/api/v1/things').set(letIn).send(body);

const validate = jest.spyOn(RequestValidator.prototype, 'validate');
beforeEach(() => validate.mockClear());
afterAll(() => validate.mockRestore());

test.each([
  ['a body', () => create({ name: 'lamp' }).expect(201)],
  ['a path', () => supertest(app).get(thingPath).set(letIn).expect(200)],
  [
    'a header',
    () =>
      supertest(app)
        .patch(thingPath)
        .set({ ...letIn, 'If-Match': '"1"' })
        .send({ a: 1 })
        .expect(200),
  ],
])(
  'the library judges the first request with %s; the schemas that it has compiled for it, the next',
  async (_, send) => {
    await send();
    expect(validate).toHaveBeenCalledTimes(1);
    await send();
    expect(validate).toHaveBeenCalledTimes(1);
  },
);

test('the library judges what these schemas refuse, and writes the messages', async () => {
  await create({ name: 'lamp' }).expect(201);
  validate.mockClear();
  const { body } = await create({ name: 1 }).expect(400);
  expect(body.errors).toEqual({ name: ['must be a string'] });
  expect(validate).toHaveBeenCalledTimes(1);
});

test('the library judges every request with a query, whose parameters it must read first', async () => {
  for (const limit of [1, 2]) await supertest(app).get(`/api/v1/things?limit=${limit}`).set(letIn).expect(200);
  expect(validate).toHaveBeenCalledTimes(2);
});
