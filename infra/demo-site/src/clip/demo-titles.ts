/** A content key of a demo clip. */
export interface DemoKey {
  /** In the form used by the control plane and the manifest. */
  keyId: string;
  /** 16 bytes in hex. */
  key: string;
}

/** A title of the demo: a content with a clip of its own. */
export interface DemoTitle {
  contentId: string;
  /** Shown to viewers. */
  title: string;
  /** The folder of the encrypted clip, also in its URLs. */
  folder: string;
  /**
   * The keys of the clip, one for video and one for audio. They are public and protect nothing; they show that the clip plays with a
   * license and does not play without one.
   */
  keys: { video: DemoKey; audio: DemoKey };
}

const movie: DemoTitle = {
  contentId: 'demo-movie',
  title: 'Demo movie',
  folder: 'clip',
  keys: {
    video: { keyId: '6d756c74-6964-4d64-8e6d-0000000000d1', key: '2f0b6c5d9e1a47c38b7de4f05a91c6d1' },
    audio: { keyId: '6d756c74-6964-4d64-8e6d-0000000000a1', key: '84c1f7a20d3e4b699c5ab8e16f70d2a1' },
  },
};

/** Has keys of its own, so that its license is another one. */
const trailer: DemoTitle = {
  contentId: 'demo-trailer',
  title: 'Demo trailer',
  folder: 'trailer',
  keys: {
    video: { keyId: '6d756c74-6964-4d64-8e6d-0000000000d2', key: '5b93a1e07c264f8ab0d912fe63478cd2' },
    audio: { keyId: '6d756c74-6964-4d64-8e6d-0000000000a2', key: 'c7e40d5fb8134a2697f31a6bd085e4a2' },
  },
};

/** The titles in the order in which viewers are offered them. The first one plays unless another is chosen. */
export const demoTitles: readonly [DemoTitle, ...DemoTitle[]] = [movie, trailer];
