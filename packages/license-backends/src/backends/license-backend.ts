import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { SignedPolicy } from '@multi-drm/policy';

export type DrmSystem = PlaybackSchemas['DrmSystem'];
export type TrackType = PlaybackSchemas['TrackType'];

/** A license request of an active session, parsed: the input from which a backend builds its own request. */
export interface LicenseCall {
  drmSystem: DrmSystem;
  /** The raw challenge of the CDM: Widevine's message, PlayReady's SOAP, FairPlay's SPC, WisePlay's message. */
  challenge: Buffer;
  /** PlayReady: headers that the CDM's message asks to be copied. Otherwise empty. */
  challengeHeaders: Record<string, string>;
  environmentId: string;
  subject: string;
  sessionId: string;
  contentId: string;
  /** The content's keys for tracks that the policy allows, never those of other tracks. */
  keys: ContentKey[];
  /** The signed policy of the session's token, with rules for this DRM system only. */
  policy: SignedPolicy;
  /** No license may outlive this: the earlier of the session's end and the end of the availability window. */
  licenseEndsAt: Date;
  now: Date;
  /** Returns a new unpredictable value for ids and nonces of vendor tokens. */
  randomUuid: () => string;
}

/** The part of a call that is known before a session is created, from which the vendor's rules and keys are built. */
export type LicenseTerms = Pick<LicenseCall, 'drmSystem' | 'keys'> & { policy: Pick<SignedPolicy, 'tracks'> };

export interface ContentKey {
  /** A UUID in lower case. */
  keyId: string;
  trackTypes: TrackType[];
  /** 16 bytes if the key is stored here, otherwise null. */
  key: Buffer | null;
}

/** The request to the license server, byte for byte. Always POST. */
export interface BackendRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The response of the license server. Header names are in lower case. */
export interface BackendAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** One kind of license server, with the settings of one environment and DRM system. */
export interface LicenseBackend {
  /**
   * Prepares a function that builds the request, or the license itself if no server is involved (ClearKey). Each call
   * of the function creates a new vendor token, since some vendors accept a token only once.
   */
  prepare(call: LicenseCall): { makeRequest: () => BackendRequest } | { license: Buffer };
  /** The media type of licenses, if it differs from the usual one of the DRM system (ClearKey). */
  readonly answerType?: string;
  /**
   * Extracts the raw license from a server's response. Throws `license_challenge_invalid` if the server does not accept
   * the player's challenge, `license_backend_refused` if it refuses for another reason (settings, credentials, its own
   * rules), and `license_backend_unavailable` if it failed temporarily or its response cannot be parsed. Never includes
   * the vendor's body or a secret.
   */
  unwrap(answer: BackendAnswer, call: LicenseCall): Buffer;
}
