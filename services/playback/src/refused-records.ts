import { formats, type RequestContext } from '@multi-drm/service-kit';
import type { Request } from 'express';
import { credentialHeaders } from './access/credential-headers';
import { isSessionId } from './sessions/session-identity';
import { type LicenseTokenSettings, readKnownToken } from './tokens/license-token';

interface RefusedRecordsOptions {
  tokens: Pick<LicenseTokenSettings, 'known'>;
  /** `X-SERVICE`: the prefix of the headers with an API client's credentials. */
  headerPrefix: string;
}

/** As the control plane makes them. */
const clientIdForm = /^ci_[\w-]{22}$/;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns what a refused request was about, for its log line: the session, the content and the API client that it named. Each only in
 * the form that it must have, and never the viewer: callers may send anything.
 */
export function refusedRecords({ tokens, headerPrefix }: RefusedRecordsOptions) {
  const { clientId: clientIdHeader } = credentialHeaders(headerPrefix);
  return (request: Request, { params = {} }: RequestContext): Record<string, string> => {
    const [, token = ''] = /^Bearer +(\S+)/i.exec(text(request.headers.authorization)) ?? [];
    const body: unknown = request.body;
    const sent = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    const named = readKnownToken(tokens, token);
    const found = {
      clientId: text(request.get(clientIdHeader)),
      sessionId: named?.sessionId ?? text(params.sessionId ?? sent.sessionId),
      contentId: named?.contentId ?? text(sent.contentId),
    };
    return {
      ...(clientIdForm.test(found.clientId) ? { clientId: found.clientId } : {}),
      ...(isSessionId(found.sessionId) ? { sessionId: found.sessionId } : {}),
      ...(formats['content-id'].validate(found.contentId) ? { contentId: found.contentId } : {}),
    };
  };
}
