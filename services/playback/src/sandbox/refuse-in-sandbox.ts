import { type EnvironmentDocument, invalidRequest, Problem } from '@multi-drm/contracts';
import { checkSandbox, type RefusedRule, type SandboxOperation } from '@multi-drm/policy';

interface SandboxRequest {
  subject: string;
  contentId: string;
}

const hourMilliseconds = 3_600_000;

/** How many streams the made-up viewer at the limit has. */
const streams = 2;

/** Throws the problem that the subject of a request asks for, if its environment has a sandbox. Reads and reserves nothing. */
export function refuseInSandbox(
  operation: SandboxOperation,
  environment: Pick<EnvironmentDocument, 'kind'>,
  request: SandboxRequest,
  now: () => Date,
): void {
  const refusal = checkSandbox(operation, environment, request.subject);
  if (refusal !== null) throw sandboxProblem(refusal, request, now());
}

/** Returns the problem of a rule of the sandbox, with the members and headers that callers get with a real one. */
export function sandboxProblem({ code, detail }: RefusedRule, { contentId }: SandboxRequest, now: Date): Problem {
  if (code === 'invalid_request') return invalidRequest({ subject: [detail] });
  if (code !== 'concurrent_stream_limit_reached') return new Problem(code, detail);
  const activeSessions = Array.from({ length: streams }, (_, index) => madeUpSession(index, contentId, now));
  return new Problem(code, detail, { members: { limit: streams, activeSessions } });
}

/** A session that exists nowhere. To release it succeeds, as it does for any id, and frees nothing. */
function madeUpSession(index: number, contentId: string, now: Date) {
  return {
    sessionId: `sandbox-session-${index + 1}`,
    contentId,
    applicationId: null,
    clientPlatform: 'web',
    startedAt: new Date(now.getTime() - hourMilliseconds).toISOString(),
    expiresAt: new Date(now.getTime() + hourMilliseconds).toISOString(),
  };
}
