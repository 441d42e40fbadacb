/** A content key of the demo clip. */
export interface DemoKey {
  /** In the form used by the control plane and the manifest. */
  keyId: string;
  /** 16 bytes in hex. */
  key: string;
}

/**
 * The keys of the demo clip, one for video and one for audio. They are public and protect nothing; they show that the clip plays with
 * a license and does not play without one.
 */
export const demoKeys: { video: DemoKey; audio: DemoKey } = {
  video: { keyId: '6d756c74-6964-4d64-8e6d-0000000000d1', key: '2f0b6c5d9e1a47c38b7de4f05a91c6d1' },
  audio: { keyId: '6d756c74-6964-4d64-8e6d-0000000000a1', key: '84c1f7a20d3e4b699c5ab8e16f70d2a1' },
};
