import { endpoint } from '../../access/endpoint';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { FeatureOptions } from '../feature-options';
import { EvaluationService } from './evaluation-service';

interface EvaluationEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  sessionSlots: SessionSlots;
}

/** The operation that evaluates a session, with its service. */
export function evaluationEndpoints(options: EvaluationEndpointsOptions) {
  const evaluations = new EvaluationService(options);
  return [
    endpoint({
      operationId: 'evaluateSession',
      access: { permission: 'sessions:read', scope: 'environment' },
      handle: async ({ params, body }) => ({
        status: 200,
        body: await evaluations.evaluate(params.environmentId, body),
      }),
    }),
  ];
}
