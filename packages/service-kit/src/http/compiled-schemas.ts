import type { Request } from 'express';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';
import type { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator';

/** A schema that Ajv has compiled. */
type Compiled = (parts: object) => unknown;

/** What the library's validator keeps to itself: the two instances of Ajv in which it finds what it has compiled. */
interface Compilers {
  ajv: { getSchema(key: string): Compiled | undefined };
  ajvBody: { getSchema(key: string): Compiled | undefined };
}

/**
 * Returns a function that returns whether a request certainly passes the library's validator. It calls the schemas that
 * the library has compiled for an earlier request, without what the library does around them for each request. False
 * means unknown: for the library to judge, also because only the library can say what is wrong.
 *
 * The library also parses parameters before it validates them. That changes nothing if the operation has only plain
 * parameters in path and headers, and the request has no query; all other requests are left to the library.
 */
export function certainlyPasses(
  validator: RequestValidator,
  expressRoute: string,
): (request: Request, operation: OpenAPIV3.OperationObject) => boolean {
  const { ajv, ajvBody } = validator as unknown as Compilers;
  const found = new Map<string, { parameters: Compiled; body: Compiled }>();

  const compiledFor = ({ method, headers }: Request, operation: OpenAPIV3.OperationObject) => {
    const contentType = headers['content-type'] ?? 'not_provided';
    // No other content type passes, and a caller may send very many.
    if (contentType !== 'not_provided' && contentType !== 'application/json') return undefined;
    // The library's own key.
    const key = `${method}-${expressRoute}-${contentType}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const [parameters, body] = [ajv.getSchema(key), ajvBody.getSchema(key)];
    if (parameters === undefined || body === undefined || !hasPlainParameters(operation)) return undefined;
    const compiled = { parameters, body };
    found.set(key, compiled);
    return compiled;
  };

  return (request, operation) => {
    if (request.originalUrl.includes('?')) return false;
    const compiled = compiledFor(request, operation);
    if (compiled === undefined) return false;
    const { headers, params, body } = request;
    const parts = { query: {}, headers, params, cookies: undefined, body };
    return compiled.parameters(parts) === true && compiled.body(parts) === true;
  };
}

const plainTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean'];

function hasPlainParameters({ parameters = [] }: OpenAPIV3.OperationObject): boolean {
  return parameters.every(
    (parameter) =>
      'in' in parameter &&
      (parameter.in === 'path' || parameter.in === 'header') &&
      parameter.schema !== undefined &&
      'type' in parameter.schema &&
      plainTypes.includes(parameter.schema.type),
  );
}
