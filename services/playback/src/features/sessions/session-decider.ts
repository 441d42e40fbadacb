import {
  type EndUserDocument,
  type EnvironmentDocument,
  invalidRequest,
  type OrganizationDocument,
  type PlaybackSchemas,
  Problem,
} from '@multi-drm/contracts';
import type { Catalog } from '../../catalog/catalog';
import { type Decision, decidePlayback } from '../../policy/decide-playback';
import { loadPlaybackFacts } from './load-templates';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

/** A decision to play, with the environment that it was made for and the organization whose streams it adds to. */
export type AllowedSession = Extract<Decision, { allowed: true }> & {
  environment: EnvironmentDocument;
  organization: OrganizationDocument;
};
export type SessionDecision = AllowedSession | Extract<Decision, { allowed: false }>;

const maximumReportingBytes = 1024;

/** Decides what a create request is answered, all but the limits of streams, from what is published. */
export class SessionDecider {
  constructor(private readonly options: { now: () => Date }) {}

  /**
   * `viewer`: the viewer's document where it is to be decided on here; null where the slots do. Throws the Problem
   * `invalid_request` for what no schema can say, and `environment_not_found` for an environment that is gone.
   */
  async decide(
    catalog: Catalog,
    request: CreateRequest,
    environmentId: string,
    viewer: EndUserDocument | null,
  ): Promise<SessionDecision> {
    checkRequest(request);
    // The caller's access was checked on it just now; the catalog may know a later one by now.
    const environment = await catalog.environment(environmentId);
    if (environment === null) throw new Problem('environment_not_found', 'There is no such environment.');
    const facts = await loadPlaybackFacts(catalog, request, environment);
    const decision = decidePlayback({ ...facts, viewer }, this.options.now());
    if (!decision.allowed) return decision;
    const { organization } = facts;
    if (organization === null) throw new Error('a session was allowed without its organization');
    return { ...decision, environment, organization };
  }
}

function checkRequest({ reporting, sessionId, replacesSessionId }: CreateRequest): void {
  if (Buffer.byteLength(JSON.stringify(reporting ?? {}), 'utf8') > maximumReportingBytes) {
    throw invalidRequest({ reporting: [`must have at most ${maximumReportingBytes} bytes of JSON`] });
  }
  if (replacesSessionId !== undefined && replacesSessionId === sessionId) {
    throw invalidRequest({ replacesSessionId: ['must be another session than sessionId'] });
  }
}
