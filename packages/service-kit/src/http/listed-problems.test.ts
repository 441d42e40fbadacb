import { type OpenApiDocument, Problem, type ProblemCode } from '@multi-drm/contracts';
import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import { thingPath, thingsService } from '../testing/things-service';

const problem = (...codes: ProblemCode[]) => ({
  description: 'A problem document',
  'x-problem-codes': codes,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

const path = '/api/v1/environments/{environmentId}/things/{name}';
const item = thingsDocument.paths[path] as { get: { responses: object } };
const responses = {
  ...item.get.responses,
  404: { $ref: '#/components/responses/NotFound' },
  502: problem('license_backend_unavailable'),
};
const document = {
  ...thingsDocument,
  paths: { ...thingsDocument.paths, [path]: { ...item, get: { ...item.get, responses } } },
  components: { ...thingsDocument.components, responses: { NotFound: problem('not_found') } },
} as OpenApiDocument;

const refuse = async (code: ProblemCode, validateResponses = true) => {
  const { app } = thingsService({
    document,
    validateResponses,
    handlers: {
      getThing: async () => {
        throw new Problem(code, 'No.');
      },
    },
  });
  const { status, body, text } = await supertest(app).get(thingPath).set('Authorization', 'let-me-in');
  return { status, code: body.code, text };
};

describe('with response validation, a problem', () => {
  test.each<[ProblemCode, number]>([
    ['not_found', 404],
    ['license_backend_unavailable', 502],
  ])('that its operation lists is sent: %s', async (code, status) => {
    expect(await refuse(code)).toMatchObject({ status, code });
  });

  test.each<[ProblemCode, number]>([
    ['session_not_found', 404],
    ['license_backend_refused', 502],
    ['service_unavailable', 503],
  ])('that its operation does not list for the status fails: %s', async (code, status) => {
    const answer = await refuse(code);
    expect(answer).toMatchObject({ status: 500, code: undefined });
    expect(answer.text).toContain(`getThing does not list the problem ${status} ${code}`);
  });

  test('of a status without a list is sent', async () => {
    expect(await refuse('invalid_request')).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

test('without response validation, a problem that its operation does not list is sent', async () => {
  expect(await refuse('session_not_found', false)).toMatchObject({ status: 404, code: 'session_not_found' });
});
