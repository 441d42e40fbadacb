import { callerOf, endpoint } from '../access/access';
import { type EvaluationParts, evaluatePlaybackSession } from '../sessions/session-evaluation';

/** POST /environments/{siteId}/sessions/evaluations: what a create would decide and why. */
export const evaluateSession = (parts: EvaluationParts) =>
  endpoint({
    operationId: 'evaluatePlaybackSession',
    access: { apiClient: ['sessions:evaluate', 'license-tokens:create'] },
    async handle({ body, context }) {
      const { environment } = callerOf(context, 'api-client');
      return { status: 200, body: await evaluatePlaybackSession(parts, body, environment) };
    },
  });
