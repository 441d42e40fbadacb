import type { PlaybackProblem, Session as PlaybackSession } from '../playback-client';
import type { Stream } from '../streams';
import type { Viewer } from '../viewers';

export type { Refusal, StartedStream, Stream } from '../streams';
export type { Viewer } from '../viewers';
export type { PlaybackProblem };
export type Session = PlaybackSession;

/** What the page reads from its backend every two seconds. */
export interface SiteState {
  viewers: Viewer[];
  viewer: Viewer | null;
  streams: Stream[];
  /** How many streams the viewer may have at once; null where there is no limit, or it is not known. */
  limit: number | null;
}
