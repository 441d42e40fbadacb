import type { OpenApiDocument } from '../documents';
import { withCredentialParameters } from './credential-parameters';
import { withProblemExamples } from './problem-examples';

/**
 * Returns an OpenAPI document as it is served: with an example of each problem that a response may have, and with the headers of
 * credentials that some tools would drop. Both follow from the document and the problem registry. The services themselves do not need
 * them, so they load the document without.
 */
export function servedDocument(document: OpenApiDocument): OpenApiDocument {
  return withCredentialParameters(withProblemExamples(document));
}
