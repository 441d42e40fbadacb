import type { PlaybackSchemas, SignedPolicy } from '@multi-drm/contracts';

export type DrmSystem = PlaybackSchemas['DrmSystem'];
export type TrackType = PlaybackSchemas['TrackType'];

/** A license request of a live session, taken apart: what a backend builds its own request from. */
export interface LicenseCall {
  drmSystem: DrmSystem;
  /** The raw challenge of the CDM: Widevine's message, PlayReady's SOAP, FairPlay's SPC, WisePlay's message. */
  challenge: Buffer;
  /** PlayReady: headers that the CDM's message asks to be copied; otherwise empty. */
  challengeHeaders: Record<string, string>;
  environmentId: string;
  subject: string;
  sessionId: string;
  contentId: string;
  /** Of the content, in tracks that the policy allows; never those of other tracks. */
  keys: ContentKey[];
  /** The signed policy of the session's token: rules of this DRM system alone. */
  policy: SignedPolicy;
  /** No license may outlive this: the end of the session and of the rights' window. */
  licenseEndsAt: Date;
  now: Date;
  /** A new unpredictable value, for ids and nonces of vendor tokens. */
  randomUuid: () => string;
}

/** What a vendor's rules and keys are built from: the part of a call that is known before a session is created. */
export type LicenseTerms = Pick<LicenseCall, 'drmSystem' | 'keys'> & { policy: Pick<SignedPolicy, 'tracks'> };

export interface ContentKey {
  /** In the form of a UUID, lower case. */
  keyId: string;
  trackTypes: TrackType[];
  /** 16 bytes, where the key is kept here; null otherwise. */
  key: Buffer | null;
}

/** What goes to the license server, byte for byte. Always POST. */
export interface BackendRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** What came back. Header names are lower case. */
export interface BackendAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** One kind of license server, with the settings of one environment and DRM system. */
export interface LicenseBackend {
  /**
   * How to make what is sent: each call mints a new vendor token, since some vendors take a token once. Or the license
   * itself where no server is asked (ClearKey).
   */
  prepare(call: LicenseCall): { makeRequest: () => BackendRequest } | { license: Buffer };
  /** The media type of the licenses, where it is not that of the call's DRM system (ClearKey). */
  readonly answerType?: string;
  /**
   * The raw license in a server's answer. Throws the Problem `license_challenge_invalid` where the server does not accept
   * what the player sent, `license_backend_refused` where it said no for another reason (settings, credentials, rules of
   * its own), `license_backend_unavailable` where it failed for now or babbles. Neither the vendor's body nor a secret is
   * told.
   */
  unwrap(answer: BackendAnswer, call: LicenseCall): Buffer;
}
