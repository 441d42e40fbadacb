import {
  type EndUserDocument,
  type EnvironmentDocument,
  invalidRequest,
  type OrganizationDocument,
  type PlaybackSchemas,
  Problem,
} from '@multi-drm/contracts';
import { type Decision, decidePlayback } from '@multi-drm/policy';
import type { Catalog } from '../catalog/catalog';
import { checkReporting } from './check-reporting';
import { type LoadedFacts, loadPlaybackFacts } from './load-playback-facts';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

/** A decision to allow playback, with its environment and the organization whose streams it counts against. */
export type AllowedSession = Extract<Decision, { allowed: true }> & {
  environment: EnvironmentDocument;
  organization: OrganizationDocument;
};
export type SessionDecision = AllowedSession | Extract<Decision, { allowed: false }>;

/**
 * Loads the documents that a create request is decided from. Throws the problem `invalid_request` for constraints that the schema cannot
 * express, and `environment_not_found` if the environment no longer exists.
 */
export async function loadSessionFacts(
  catalog: Catalog,
  request: CreateRequest,
  environmentId: string,
): Promise<LoadedFacts> {
  checkRequest(request);
  // Read again although the access check read it: the catalog may have a newer version.
  const environment = await catalog.environment(environmentId);
  if (environment === null) throw new Problem('environment_not_found', 'The environment does not exist.');
  return loadPlaybackFacts(catalog, request, environment);
}

/**
 * Decides a create request from the published documents; stream limits are checked elsewhere. Throws the same problems as
 * {@link loadSessionFacts}.
 */
export async function decideSession(
  catalog: Catalog,
  request: CreateRequest,
  environmentId: string,
  viewer: EndUserDocument | null,
  now: () => Date,
): Promise<SessionDecision> {
  const facts = await loadSessionFacts(catalog, request, environmentId);
  // The time is taken after the documents are read, so that both come from the same Redis.
  const decision = decidePlayback({ ...facts, viewer }, now());
  return decision.allowed ? allowedSession(decision, facts) : decision;
}

/** Adds the documents to a decision that allows a session. */
export function allowedSession(
  decision: Extract<Decision, { allowed: true }>,
  { environment, organization }: LoadedFacts,
): AllowedSession {
  if (organization === null) throw new Error('a session was allowed without its organization');
  return { ...decision, environment, organization };
}

function checkRequest({ reporting, sessionId, replacesSessionId }: CreateRequest): void {
  checkReporting(reporting);
  if (replacesSessionId !== undefined && replacesSessionId === sessionId) {
    throw invalidRequest({ replacesSessionId: ['must differ from sessionId'] });
  }
}
