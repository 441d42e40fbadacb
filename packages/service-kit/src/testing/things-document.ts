import type { OpenApiDocument } from '@multi-drm/contracts';

const json = (schema: object) => ({ 'application/json': { schema } });
const problem = {
  description: 'A problem document',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
const refusals = { 400: problem, 401: problem, 413: problem, 415: problem, 500: problem };
const thing = { description: 'A thing', content: json({ $ref: '#/components/schemas/Thing' }) };

/**
 * An OpenAPI document for the tests of this package: things that can be listed, created, read, changed and released.
 */
export const thingsDocument: OpenApiDocument = {
  openapi: '3.1.1',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/api/v1/things': {
      get: {
        operationId: 'listThings',
        parameters: [
          { $ref: '#/components/parameters/Limit' },
          { $ref: '#/components/parameters/Offset' },
          { name: 'kind', in: 'query', schema: { type: 'string', minLength: 1, maxLength: 10 } },
        ],
        responses: {
          200: { description: 'A page', content: json({ $ref: '#/components/schemas/Page' }) },
          ...refusals,
        },
      },
      post: {
        operationId: 'createThing',
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/CreateThing' }) },
        responses: { 201: thing, ...refusals },
      },
    },
    '/api/v1/environments/{environmentId}/things/{name}': {
      parameters: [
        { name: 'environmentId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { name: 'name', in: 'path', required: true, schema: { type: 'string', maxLength: 20 } },
      ],
      get: { operationId: 'getThing', responses: { 200: thing, ...refusals } },
      patch: {
        operationId: 'changeThing',
        parameters: [{ name: 'If-Match', in: 'header', schema: { type: 'string', maxLength: 10 } }],
        requestBody: { content: json({ type: 'object', additionalProperties: true }) },
        responses: { 200: thing, ...refusals },
      },
      delete: { operationId: 'releaseThing', responses: { 204: { description: 'Released' }, ...refusals } },
    },
    // Deliberately listed after the template that also matches `latest`.
    '/api/v1/environments/{environmentId}/things/latest': {
      parameters: [{ name: 'environmentId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: { operationId: 'getLatestThing', responses: { 200: thing, ...refusals } },
    },
  },
  components: {
    parameters: {
      Limit: {
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 50 },
      },
      Offset: {
        name: 'offset',
        in: 'query',
        schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647, default: 0 },
      },
    },
    schemas: {
      Page: {
        type: 'object',
        required: ['limit', 'offset'],
        additionalProperties: false,
        properties: { limit: { type: ['integer', 'string'] }, offset: { type: ['integer', 'string'] } },
      },
      Thing: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, createdAt: { type: 'string', format: 'date-time' } },
      },
      CreateThing: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 200, format: 'text' },
          contentId: { type: 'string', format: 'content-id' },
          ownerId: { type: 'string', format: 'uuid' },
          expiresAt: { type: 'string', format: 'date-time' },
          limit: { type: ['integer', 'null'] },
          languages: { type: 'array', items: { type: 'string', format: 'language-tag' } },
          manifests: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['url'],
              properties: { url: { type: 'string', format: 'http-url' } },
            },
          },
          labels: { type: 'object', additionalProperties: true },
        },
      },
      Problem: {
        type: 'object',
        required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable'],
        properties: {
          status: { type: 'integer' },
          retryable: { type: 'boolean' },
          limit: { type: 'integer' },
          errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
};
