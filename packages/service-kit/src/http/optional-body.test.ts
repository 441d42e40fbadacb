import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingsService } from '../testing/things-service';

const letIn = { Authorization: 'let-me-in' };

describe('an operation with an optional body', () => {
  const schema = { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } };
  const touch = {
    operationId: 'touchThing',
    requestBody: { required: false, content: { 'application/json': { schema } } },
    responses: {
      200: { description: 'What was sent.', content: { 'application/json': { schema: { type: 'object' } } } },
      400: { description: 'Invalid.', content: { 'application/problem+json': { schema: { type: 'object' } } } },
    },
  };
  const { app } = thingsService({
    document: { ...thingsDocument, paths: { ...thingsDocument.paths, '/touch': { post: touch } } },
    handlers: {
      touchThing: async ({ body }) => ({ status: 200, body: { sent: body === undefined ? 'nothing' : body } }),
    },
  });
  const send = (body: string) => supertest(app).post('/touch').set(letIn).type('application/json').send(body);

  test.each(['', '[]', 'null', ' [ ] '])('takes %j as no body', async (body) => {
    expect((await send(body).expect(200)).body).toEqual({ sent: 'nothing' });
  });

  test('takes an object as it is', async () => {
    expect((await send('{}').expect(200)).body).toEqual({ sent: {} });
  });

  test.each(['[1]', '[null]', '0', 'false', '""'])('refuses %s', async (body) => {
    expect((await send(body).expect(400)).body.errors).toEqual({ body: ['must be an object'] });
  });
});
