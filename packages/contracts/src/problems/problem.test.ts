import { invalidRequest, Problem, problemDocument } from './problem';
import { type ProblemCode, problemRegistry } from './registry';

const request = { requestId: 'request-0001', instance: '/api/v1/things' };

test('a problem document has the members of RFC 9457, those of this product, and its own', () => {
  const problem = new Problem('concurrent_stream_limit_reached', 'Two streams are open.', {
    members: { limit: 2, activeSessions: [] },
  });
  expect(problemDocument(problem, request)).toEqual({
    type: 'urn:multi-drm:problem:concurrent_stream_limit_reached',
    title: 'The viewer has reached the limit of concurrent streams',
    status: 429,
    detail: 'Two streams are open.',
    instance: '/api/v1/things',
    code: 'concurrent_stream_limit_reached',
    requestId: 'request-0001',
    retryable: false,
    limit: 2,
    activeSessions: [],
  });
});

test.each(Object.keys(problemRegistry) as ProblemCode[])('the document of %s matches the registry', (code) => {
  const { status, title, retryable } = problemRegistry[code];
  const problem = new Problem(code, 'Why.');
  expect(problem.status).toBe(status);
  expect(problemDocument(problem, request)).toMatchObject({ code, status, title, retryable });
});

test.each(Object.keys(problemRegistry) as ProblemCode[])(
  '%s has Retry-After if and only if it is retryable',
  (code) => {
    const { retryable } = problemRegistry[code];
    const headers = retryable ? { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) } : {};
    expect(new Problem(code, 'Why.').headers).toEqual(headers);
    expect(new Problem(code, 'Why.', { headers: { 'Retry-After': '7' } }).headers).toEqual({ 'Retry-After': '7' });
  },
);

test('the document contains neither the cause nor the headers nor a stack', () => {
  const problem = new Problem('internal_error', 'Sorry.', {
    cause: new Error('relation "api_client" does not exist'),
    headers: { 'Retry-After': '1' },
  });
  const text = JSON.stringify(problemDocument(problem, request));
  expect(text).not.toContain('api_client');
  expect(text).not.toContain('Retry-After');
  expect(text).not.toContain('problem.test');
  expect(problem.cause).toEqual(new Error('relation "api_client" does not exist'));
});

test("a problem's own members cannot replace the standard ones", () => {
  const problem = new Problem('invalid_request', 'No.', { members: { status: 200, code: 'fine', requestId: 'other' } });
  expect(problemDocument(problem, request)).toMatchObject({
    status: 400,
    code: 'invalid_request',
    requestId: 'request-0001',
  });
});

test('a license backend timeout is a 504, and no other status is accepted', () => {
  const problem = new Problem('license_backend_unavailable', 'Too slow.', { status: 504 });
  expect(problemDocument(problem, request)).toMatchObject({ status: 504, retryable: true });
  expect(problem.headers).toHaveProperty('Retry-After');
  expect(() => new Problem('license_backend_unavailable', 'Odd.', { status: 500 })).toThrow(TypeError);
  expect(() => new Problem('invalid_request', 'Odd.', { status: 504 })).toThrow(TypeError);
});

describe('an invalid request', () => {
  test('lists its fields', () => {
    const problem = invalidRequest({ limit: ['must be a whole number'], 'manifests[0].url': ['is required'] });
    expect(problem).toMatchObject({
      code: 'invalid_request',
      status: 400,
      detail: 'Invalid: limit, manifests[0].url.',
    });
    expect(problemDocument(problem, request).errors).toEqual({
      limit: ['must be a whole number'],
      'manifests[0].url': ['is required'],
    });
  });

  test('names ten of them in its detail, and all of them in its errors', () => {
    const errors = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, ['is odd']]));
    const problem = invalidRequest(errors);
    expect(problem.detail).toBe('Invalid: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more.');
    expect(problem.members.errors).toEqual(errors);
  });
});
