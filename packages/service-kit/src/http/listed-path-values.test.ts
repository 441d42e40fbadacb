import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingsService } from '../testing/things-service';

const handler = async () => ({ status: 204 });
const problem = {
  description: 'A problem',
  content: { 'application/problem+json': { schema: { type: 'object' } } },
};
const answers = { 204: { description: 'Painted' }, 401: problem, 404: problem };
const { app, handled } = thingsService({
  document: {
    ...thingsDocument,
    paths: {
      ...thingsDocument.paths,
      '/walls/{colour}': {
        parameters: [{ name: 'colour', in: 'path', required: true, schema: { $ref: '#/components/schemas/Colour' } }],
        post: { operationId: 'paintWall', responses: answers },
      },
    },
    components: {
      ...thingsDocument.components,
      schemas: { ...thingsDocument.components.schemas, Colour: { type: 'string', enum: ['red', 'green'] } },
    },
  },
  handlers: { paintWall: handler },
});
const paint = (colour: string) => supertest(app).post(`/walls/${colour}`);

beforeEach(() => {
  handled.length = 0;
});

test('a listed value is a route', async () => {
  await paint('red').set('Authorization', 'let-me-in').expect(204);
  await paint('green').expect(401);
});

test.each(['blue', 'RED', 'red%20', '__proto__'])(
  'any other value, such as %s, is not found for any caller',
  async (colour) => {
    for (const headers of [{}, { Authorization: 'let-me-in' }]) {
      const { body } = await paint(colour).set(headers).expect(404);
      expect(body.code).toBe('route_not_found');
      expect(handled).toEqual([]);
    }
  },
);
