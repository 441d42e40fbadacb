import type { OpenApiDocument } from '@multi-drm/contracts';

/** The subjects with which the service's sandbox refuses, one for each problem code. */
export interface SandboxSubjects {
  creates: string[];
  licenses: string[];
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
  // Late, because `npm start` loads this file before it builds the package.
  const { problemCodesOf } = await import('@multi-drm/contracts');
  return {
    creates: problemCodesOf(document, 'createPlaybackSession').map((code) => `sandbox:${code}`),
    licenses: problemCodesOf(document, 'acquireLicense').map((code) => `sandbox-license:${code}`),
  };
}
