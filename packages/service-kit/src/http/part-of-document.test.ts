import type { OpenApiDocument } from '@multi-drm/contracts';
import { thingsDocument } from '../testing/things-document';
import { documentOfOperation, documentOfRoutes } from './part-of-document';

const list = { path: '/api/v1/things', method: 'get' };
const create = { path: '/api/v1/things', method: 'post' };

test('the document of a request has one path and one method, with all references inlined', () => {
  const { paths, components } = documentOfOperation(thingsDocument, create, 'request');
  expect(Object.keys(paths)).toEqual(['/api/v1/things']);
  expect(Object.keys(paths['/api/v1/things'] ?? {})).toEqual(['post']);
  expect(paths['/api/v1/things']?.post).toMatchObject({
    requestBody: { content: { 'application/json': { schema: thingsDocument.components.schemas.CreateThing } } },
    responses: {},
  });
  expect(components).toEqual({ schemas: {} });
});

test('the document of responses has no request body, and HEAD beside GET', () => {
  const declared = documentOfOperation(thingsDocument, create, 'responses').paths['/api/v1/things']?.post;
  expect(declared).not.toHaveProperty('requestBody');
  expect(Object.keys((declared as { responses: object }).responses)).toEqual([
    '201',
    '400',
    '401',
    '413',
    '415',
    '500',
  ]);
  const { paths } = documentOfOperation(thingsDocument, list, 'responses');
  expect(Object.keys(paths['/api/v1/things'] ?? {})).toEqual(['head', 'get']);
  expect(JSON.stringify(paths)).not.toContain('$ref');
});

test('the document of routes has every path with only its methods', () => {
  expect(documentOfRoutes(thingsDocument).paths['/api/v1/things']).toEqual({
    get: { responses: {} },
    head: { responses: {} },
    post: { responses: {} },
  });
});

test('a schema that contains itself is rejected, because it cannot be written without references', () => {
  const Tree = {
    type: 'object',
    properties: { branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
  };
  const operation = { responses: {}, requestBody: { content: { 'application/json': { schema: Tree } } } };
  const document: OpenApiDocument = {
    ...thingsDocument,
    paths: { '/trees': { post: operation } },
    components: { schemas: { Tree } },
  };
  expect(() => documentOfOperation(document, { path: '/trees', method: 'post' }, 'request')).toThrow('contains itself');
});
