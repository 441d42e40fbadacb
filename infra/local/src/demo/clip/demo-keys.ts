/** A content key of the demo clip. */
export interface DemoKey {
  /** As the control plane and the manifest write it. */
  keyId: string;
  /** 16 bytes in hex. */
  key: string;
}

/**
 * The keys of the demo clip, one for the picture and one for the sound. They protect nothing, being public here: they are for
 * showing that the clip plays with a license and does not without.
 */
export const demoKeys: { video: DemoKey; audio: DemoKey } = {
  video: { keyId: '6d756c74-6964-4d64-8e6d-0000000000d1', key: '2f0b6c5d9e1a47c38b7de4f05a91c6d1' },
  audio: { keyId: '6d756c74-6964-4d64-8e6d-0000000000a1', key: '84c1f7a20d3e4b699c5ab8e16f70d2a1' },
};
