export { ManagementProblem, NoAnswerError, type ProblemDocument, UnreadableAnswerError } from './errors';
export { createManagementClient, type ManagementClientOptions } from './management-client';
export type { Answer, Call, CallOptions, ManagementClient, ManagementPaths, ManagementSchemas } from './types';
