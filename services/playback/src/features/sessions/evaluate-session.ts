import { callerOf, endpoint } from '../../access/access';
import type { SessionEvaluator } from './session-evaluator';

/** POST /environments/{siteId}/sessions/evaluations: what a create would decide and why. */
export const evaluateSession = (sessions: SessionEvaluator) =>
  endpoint({
    operationId: 'evaluatePlaybackSession',
    access: { apiClient: ['sessions:evaluate', 'license-tokens:create'] },
    async handle({ body, context }) {
      const { environment } = callerOf(context, 'api-client');
      return { status: 200, body: await sessions.evaluate(body, environment.environmentId) };
    },
  });
