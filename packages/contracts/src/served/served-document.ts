import type { OpenApiDocument } from '../documents';
import { withCredentialParameters } from './credential-parameters';
import { withProblemExamples } from './problem-examples';
import { withoutQueryExamples } from './query-examples';

/**
 * Returns an OpenAPI document as it is served: with an example of each problem that a response may have, with the headers of credentials
 * that some tools would drop, and without values that the API reference should not send. All follows from the document and the problem
 * registry. The services themselves do not need it, so they load the document as it is.
 */
export function servedDocument(document: OpenApiDocument): OpenApiDocument {
  return withCredentialParameters(withProblemExamples(withoutQueryExamples(document)));
}
