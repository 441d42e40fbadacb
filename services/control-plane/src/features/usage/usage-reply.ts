import type { ControlPlaneOperations } from '@multi-drm/contracts';
import type { EndpointInput, EndpointReply } from '@multi-drm/service-kit';
import { usageQueryOf } from './usage-query';
import type { UsageService } from './usage-service';

type Operation = ControlPlaneOperations['getEnvironmentUsage'];

/** Answers with a table if the caller prefers one, otherwise with JSON. */
export async function usageReply(
  usage: UsageService,
  scopeId: string,
  { query, now, request }: Pick<EndpointInput<Operation, unknown>, 'query' | 'request'> & { now: Date },
): Promise<EndpointReply<Operation>> {
  const asTable = request.accepts(['application/json', 'text/csv']) === 'text/csv';
  const asked = usageQueryOf(query, now, asTable);
  if (!asTable) return { status: 200, body: await usage.read(scopeId, asked) };
  return { status: 200, bytes: await usage.table(scopeId, asked), contentType: 'text/csv; charset=utf-8' };
}
