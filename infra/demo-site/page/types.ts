import type { PlaybackSession, ProblemDocument } from '@multi-drm/client';
import type { ViewerEvent } from '../src/event-feed';
import type { Stream } from '../src/streams';
import type { Viewer } from '../src/viewers';

export type { Audience } from '../src/audience';
export type { ViewerEvent } from '../src/event-feed';
export type { SandboxSubjects } from '../src/sandbox-subjects';
export type { Refusal, StartedStream, Stream } from '../src/streams';
export type { Viewer } from '../src/viewers';
export type PlaybackProblem = ProblemDocument;
export type Session = PlaybackSession;

/** What the page reads from its backend every two seconds. */
export interface SiteState {
  viewers: Viewer[];
  titles: { contentId: string; title: string }[];
  viewer: Viewer | null;
  streams: Stream[];
  /** The viewer's limit of concurrent streams; null if there is none or it is unknown. */
  limit: number | null;
}

/** The viewer's last events, newest first, which the page reads while it shows them. */
export interface LastEvents {
  /** The id of the viewer. */
  viewer: string;
  events: ViewerEvent[];
}
