/** What is used of the page's `<video>` or `<audio>` element. */
export interface Video {
  readonly paused: boolean;
  /** Seconds. */
  readonly currentTime: number;
  play(): Promise<void>;
  pause(): void;
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/** Keeps a video paused while it has no session, also if the viewer presses Play. */
export class VideoHold {
  #video: Video | undefined;
  #held = false;
  /** Whether it plays on when it may. */
  #resumes = false;

  readonly #pause = () => {
    if (this.#video?.paused !== false) return;
    this.#resumes = true;
    this.#video.pause();
  };

  /** Whether the viewer watches: the video plays, or would if it were not held. Without a video, nobody knows. */
  get watched(): boolean {
    return this.#video === undefined || this.#resumes || !this.#video.paused;
  }

  attach(video: Video): void {
    this.#video = video;
    if (this.#held) this.#keepPaused();
  }

  hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.#keepPaused();
  }

  /** The video may play, and does so if it was held while it played. */
  lift(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#video?.removeEventListener('play', this.#pause);
    // The browser may want the viewer to press Play.
    if (this.#resumes) this.#video?.play().catch(() => undefined);
    this.#resumes = false;
  }

  /** Holds the video for good: until something else is loaded into it. */
  holdUntilEmptied(): void {
    const video = this.#video;
    this.hold();
    const emptied = () => {
      video?.removeEventListener('emptied', emptied);
      video?.removeEventListener('play', this.#pause);
    };
    video?.addEventListener('emptied', emptied);
  }

  #keepPaused(): void {
    this.#pause();
    this.#video?.addEventListener('play', this.#pause);
  }
}
