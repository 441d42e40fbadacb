export { controlPlaneDocument, type OpenApiDocument, playbackDocument } from './documents';
export { keySystems } from './key-systems';
export { drmSystems, managementRoles, trackTypes } from './listed-values';
export { type FieldErrors, invalidRequest, Problem, type ProblemDocument, problemDocument } from './problems/problem';
export { problemCodesOf } from './problems/problem-codes-of';
export {
  controlPlaneProblems,
  type ProblemCode,
  type ProblemDefinition,
  playbackProblems,
  problemRegistry,
} from './problems/registry';
export {
  type ApiClientDocument,
  apiClientDocument,
  asPublishedDeployment,
  type ContentDocument,
  contentDocument,
  type DeploymentDocument,
  deploymentDocument,
  type EndUserDocument,
  type EnvironmentDocument,
  endUserDocument,
  environmentDocument,
  type LicenseBackendDocument,
  type LicenseProfileDocument,
  licenseBackendDocument,
  licenseProfileDocument,
  type OrganizationDocument,
  organizationDocument,
  type ProjectDocument,
  type PublishedDeployment,
  projectDocument,
  publishedFormat,
  readDocument,
  type SecretKeysDocument,
  secretKeysDocument,
  trackPolicy,
} from './published/documents';
export {
  accessKeyDigestLength,
  activeSessionsKey,
  apiClientUse,
  apiClientUsesKey,
  formerEndUserKeyStart,
  parseApiClientUse,
  publicationMarkChannel,
  publishedChangesChannel,
  publishedKeys,
} from './published/redis-keys';
export { type SecretPlace, secretPlaces } from './published/secret-places';
export {
  bucketHashTag,
  bucketOfChecksum,
  bucketsOfDeployment,
  checksumOfHash,
  SubjectBuckets,
} from './published/subject-buckets';
export { servedDocument } from './served/served-document';
export type { ControlPlaneOperations, ControlPlaneSchemas, PlaybackOperations, PlaybackSchemas } from './types';
