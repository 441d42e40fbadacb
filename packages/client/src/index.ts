export type { CallOptions } from './call-service';
export { PlaybackClient, type PlaybackClientOptions } from './playback-client';
export {
  NoAnswerError,
  PlaybackError,
  PlaybackProblem,
  type RefusalForBrowser,
  UnreadableAnswerError,
} from './playback-error';
export type { Surroundings } from './surroundings';
export type {
  ActiveSession,
  CreateSessionRequest,
  Evaluation,
  PlaybackProblemCode,
  PlaybackSession,
  ProblemDocument,
  SessionInUse,
  SessionReference,
} from './types';
