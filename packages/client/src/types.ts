import type { components } from './generated/playback';

// Taken from the OpenAPI document of the playback service, with its descriptions.

type Schemas = components['schemas'];

/** A request for a session: the content to play, the DRM system, the viewer and the policy. */
export type CreateSessionRequest = Schemas['CreatePlaybackSessionRequest'];

/** A session, for the player: what to play, where to get licenses, and how to renew and release. */
export type PlaybackSession = Schemas['PlaybackSessionResponse'];

/** A session of the list of active sessions. */
export type ActiveSession = Schemas['ActivePlaybackSession'];

/** Whether a create would succeed now, and which rule decides it. */
export type Evaluation = Schemas['PlaybackEvaluationResponse'];

/** A session that uses one of the viewer's streams, in a refusal at the stream limit. */
export type SessionInUse = Schemas['ActiveSessions'][number];

/** The problem codes of this version. A newer service may have others. */
export type PlaybackProblemCode = Schemas['ProblemCode'];

/** A problem document (RFC 9457) of the playback service. `limit` and `activeSessions`: only at the viewer's stream limit. */
export type ProblemDocument = Omit<Schemas['StreamLimitProblemDetails'], 'code'> & {
  code: PlaybackProblemCode | (string & {});
};

/** Names one session of one viewer. */
export interface SessionReference {
  sessionId: string;
  /** The viewer who plays it. With another one, no session ends. */
  subject: string;
}
