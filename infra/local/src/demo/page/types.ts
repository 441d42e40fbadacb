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
  /** The viewer's limit of concurrent streams; null if there is none or it is unknown. */
  limit: number | null;
}
