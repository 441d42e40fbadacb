import type { SessionSlots } from '../../active-sessions/session-slots';
import type { FeatureOptions } from '../feature-options';
import { evaluateSession } from './evaluate-session';
import { EvaluationService } from './evaluation-service';

interface EvaluationEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  sessionSlots: SessionSlots;
}

/** The operation that evaluates a session, with its service. */
export function evaluationEndpoints(options: EvaluationEndpointsOptions) {
  return [evaluateSession(new EvaluationService(options))];
}
