import { callerOf, endpoint } from '../access/access';
import { type CreationParts, createPlaybackSession } from '../sessions/session-creation';

/** POST /environments/{siteId}/sessions: a customer backend starts a playback session for a viewer. */
export const createSession = (parts: CreationParts) =>
  endpoint({
    operationId: 'createPlaybackSession',
    access: { apiClient: ['license-tokens:create'] },
    async handle({ body, context, request, response }) {
      const { client, environment } = callerOf(context, 'api-client');
      const idempotencyKey = request.get('Idempotency-Key');
      const session = await createPlaybackSession(parts, {
        request: body,
        environment,
        clientId: client.clientId,
        idempotencyKey,
      });
      const { abandon } = session;
      if (abandon !== undefined) {
        if (response.closed) await abandon();
        // 'close' without 'finish': the caller hung up before the response was written.
        else response.once('close', () => response.writableFinished || void abandon());
      }
      return { status: 200, body: session.response };
    },
  });
