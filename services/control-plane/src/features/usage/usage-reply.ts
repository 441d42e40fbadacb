import type { ControlPlaneOperations } from '@multi-drm/contracts';
import type { EndpointReply } from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { UsageQuery } from './usage-query';
import type { UsageService } from './usage-service';

/** Answers with a table if the caller prefers one, otherwise with JSON. */
export async function usageReply(
  usage: UsageService,
  scope: string,
  query: UsageQuery,
  request: Request,
): Promise<EndpointReply<ControlPlaneOperations['getEnvironmentUsage']>> {
  if (request.accepts(['application/json', 'text/csv']) !== 'text/csv') {
    return { status: 200, body: await usage.read(scope, query) };
  }
  return { status: 200, bytes: Buffer.from(await usage.table(scope, query)), contentType: 'text/csv; charset=utf-8' };
}
