import { endpoint } from '../../access/endpoint';
import type { EvaluationService } from './evaluation-service';

export const evaluateSession = (evaluations: EvaluationService) =>
  endpoint({
    operationId: 'evaluateSession',
    access: { permission: 'sessions:read', scope: 'environment' },
    handle: async ({ params, body }) => ({
      status: 200,
      body: await evaluations.evaluate(params.environmentId, body),
    }),
  });
