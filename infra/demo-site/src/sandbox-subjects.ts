/** The subjects with which the service's sandbox refuses, one for each problem code. */
export interface SandboxSubjects {
  creates: string[];
  licenses: string[];
}

interface Response {
  $ref?: string;
  'x-problem-codes'?: string[];
}

interface OpenApiDocument {
  paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

/** A viewer of the site must not choose any other subject. */
const form = /^sandbox(-license)?:[a-z_]{1,64}$/;

/** Returns the subject with which a viewer has asked to be refused; undefined if it is none of the sandbox. */
export function readSandboxSubject(asked: unknown): string | undefined {
  return typeof asked === 'string' && form.test(asked) ? asked : undefined;
}

/** Reads from the OpenAPI document of playback with which problems it can refuse. */
export async function readSandboxSubjects(playbackUrl: string): Promise<SandboxSubjects> {
  const response = await fetch(`${playbackUrl}/openapi.json`);
  const document = (await response.json()) as OpenApiDocument;
  return {
    creates: codesOf(document, 'createPlaybackSession').map((code) => `sandbox:${code}`),
    licenses: codesOf(document, 'acquireLicense').map((code) => `sandbox-license:${code}`),
  };
}

function codesOf({ paths, components }: OpenApiDocument, operationId: string): string[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const { responses = {} } = operations.find((operation) => operation.operationId === operationId) ?? {};
  const codes = Object.values(responses).flatMap(({ $ref = '', ...own }) => {
    const response = components.responses[$ref.replace(/^.*\//, '')] ?? own;
    return response['x-problem-codes'] ?? [];
  });
  return [...new Set(codes)];
}
