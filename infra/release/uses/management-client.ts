// What a customer would write. Compiled in the workspace and against the tarball; never run.
import {
  type Answer,
  createManagementClient,
  type ManagementPaths,
  ManagementProblem,
  type ManagementSchemas,
  NoAnswerError,
} from '@multi-drm/management-client';

const management = createManagementClient({ url: 'https://control.example.com', credential: async () => 'a token' });
const project = { params: { path: { projectId: 'p' } } };

export async function rename(name: string): Promise<ManagementSchemas['ProjectResponse'] | undefined> {
  try {
    const read = await management.GET('/api/v1/management/projects/{projectId}', project);
    const changed: Answer<ManagementPaths['/api/v1/management/projects/{projectId}']['patch']> = await management.PATCH(
      '/api/v1/management/projects/{projectId}',
      { ...project, body: { name }, ifMatch: read.etag },
    );
    return changed.data;
  } catch (error) {
    if (error instanceof ManagementProblem && error.code === 'precondition_failed') return rename(name);
    if (error instanceof NoAnswerError) return undefined;
    throw error;
  }
}

export async function createApiClient(): Promise<string | undefined> {
  const { data } = await management.POST('/api/v1/management/projects/{projectId}/api-clients', {
    ...project,
    body: { name: 'Shop', permissions: ['license-tokens:create'] },
    idempotencyKey: 'k',
    signal: AbortSignal.timeout(1000),
  });
  return data.accessKey;
}

export async function readUsage(environmentId: string): Promise<[number, string]> {
  const params = { path: { environmentId }, query: { from: '2026-01-01T00:00:00Z' } };
  const { data } = await management.GET('/api/v1/management/environments/{environmentId}/usage', { params });
  const csv = await management.GET('/api/v1/management/environments/{environmentId}/usage', {
    params,
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
  });
  return [data.total.peakConcurrentStreams, csv.data];
}

export async function archive(): Promise<undefined[]> {
  const { data, etag } = await management.DELETE('/api/v1/management/projects/{projectId}', {
    ...project,
    ifMatch: '*',
  });
  return [data, etag];
}

/** What the compiler must refuse. */
export async function refused(): Promise<void> {
  // @ts-expect-error without the parameters of the path
  await management.GET('/api/v1/management/projects/{projectId}');
  // @ts-expect-error no such path
  await management.GET('/api/v1/management/project');
  // @ts-expect-error a read takes no If-Match
  await management.GET('/api/v1/management/projects/{projectId}', { ...project, ifMatch: '*' });
  // @ts-expect-error no such option
  await management.PATCH('/api/v1/management/projects/{projectId}', { ...project, body: {}, ifmatch: '*' });
  // @ts-expect-error no such field
  await management.PATCH('/api/v1/management/projects/{projectId}', { ...project, body: { title: '' }, ifMatch: '*' });
}
