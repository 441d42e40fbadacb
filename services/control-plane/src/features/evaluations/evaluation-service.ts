import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { licenseRefusal } from '@multi-drm/license-backends';
import { checkSandbox, decidePlayback, effectiveStreamLimit, stepOf, streamLimitStep } from '@multi-drm/policy';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import { readEnvironmentScope } from '../../stores/environments';
import { readLicenseBackendHealth } from './license-backend-health';
import { loadSessionDocuments } from './load-session-documents';

type Evaluation = ControlPlaneSchemas['SessionEvaluationResponse'];

interface EvaluationServiceOptions {
  database: Database;
  sessionSlots: SessionSlots;
  now: () => Date;
}

/** Says whether a viewer could play content now, by the decision that playback makes. */
export class EvaluationService {
  constructor(private readonly options: EvaluationServiceOptions) {}

  /** Throws `conflict` if the environment is archived. */
  async evaluate(environmentId: string, asked: ControlPlaneSchemas['EvaluateSessionRequest']): Promise<Evaluation> {
    const { database, sessionSlots, now } = this.options;
    const { subject, drmSystem } = asked;
    const scope = await readEnvironmentScope(database, environmentId);
    const [activeSessions, licenseBackend] = await Promise.all([
      sessionSlots.listSubject(scope.id, subject),
      readLicenseBackendHealth(database, scope.id, drmSystem, now()),
    ]);
    const decided = await this.decide(scope, asked, activeSessions.length);
    return { ...decided, activeSessions: activeSessions.length, licenseBackend };
  }

  private async decide(
    scope: Parameters<typeof loadSessionDocuments>[1],
    asked: ControlPlaneSchemas['EvaluateSessionRequest'],
    inUse: number,
  ): Promise<Pick<Evaluation, 'allowed' | 'code' | 'steps' | 'limit'>> {
    const { database, sessionSlots, now } = this.options;
    const { environment, ...documents } = await loadSessionDocuments(database, scope, asked);
    if (environment === null) throw new Problem('conflict', 'The environment is archived: nothing can be played.');
    const inSandbox = checkSandbox('createPlaybackSession', environment, asked.subject);
    if (inSandbox !== null) return { allowed: false, code: inSandbox.code, steps: [stepOf(inSandbox)], limit: null };
    const { contentId, drmSystem, licensePolicyTemplate, clientPlatform } = asked;
    const contentType = documents.content?.kind === 'live' ? 'live' : 'vod';
    const request = {
      contentId,
      contentType,
      drmSystem,
      useEnvironmentDefaults: true,
      ...(licensePolicyTemplate === undefined ? {} : { licensePolicyTemplate }),
      platformCapabilities: { clientPlatform: clientPlatform ?? null },
    } as const;
    const facts = { request, environment, ...documents, findLicenseRefusal: licenseRefusal };
    const decision = decidePlayback(facts, now());
    if (!decision.allowed) {
      return { allowed: false, code: decision.refusal.code, steps: decision.explanation.steps(), limit: null };
    }
    const limit = documents.organization?.maximumConcurrentStreams ?? null;
    const streams = {
      policy: decision.policy,
      sources: decision.sources,
      viewer: documents.viewer,
      inUse,
      replacesActiveSession: false,
      organizationIsFull: limit !== null && (await sessionSlots.countStreams(scope.organizationId)) >= limit,
    };
    const limits = streamLimitStep(streams);
    return {
      allowed: limits.code === null,
      code: limits.code,
      steps: [...decision.explanation.steps(), ...limits.steps],
      limit: effectiveStreamLimit(streams).limit,
    };
  }
}
