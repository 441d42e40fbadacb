/** How to call a route of a session: with its license token, in the named scheme. */
export interface SessionRoute {
  url: string;
  method: string;
  authorizationScheme: string;
}

/** The part of the session response of Contract v1 that players use. Pass on the whole response. */
export interface PlaybackSession {
  contractVersion: number;
  sessionId: string;
  manifestUrl: string;
  /** The manifest that is `manifestUrl` comes first. */
  manifestUrls: { type: string; url: string }[];
  /** RFC 3339, like `serverTime`. The difference is how long the session lasts without a renewal. */
  expiresAt: string;
  serverTime: string;
  drm: {
    licenseServerUrl: string;
    drmLicenseToken: string;
    /** Key systems to request from the browser, best first. */
    keySystems: string[];
    /** The robustness to request from the browser, by track type. */
    robustness?: Partial<Record<string, string>>;
    fairPlayCertificateUrl?: string;
  };
  release: SessionRoute;
  /** Absent once the session has its maximum length. */
  renewal?: SessionRoute & { intervalSeconds: number };
}

/** Whether a value is a session response of this version of the contract, with what players need. */
export function isSession(value: unknown): value is PlaybackSession {
  const { contractVersion, sessionId, drm, release } = (value ?? {}) as Partial<PlaybackSession>;
  return (
    contractVersion === 1 &&
    typeof sessionId === 'string' &&
    typeof drm?.drmLicenseToken === 'string' &&
    typeof release?.url === 'string' &&
    lifetimeOf(value as PlaybackSession) > 0
  );
}

/** Returns for how many milliseconds a session lasts, by the service's clock, because the device's may be wrong. */
export function lifetimeOf({ expiresAt, serverTime }: PlaybackSession): number {
  return Date.parse(expiresAt) - Date.parse(serverTime);
}

export function authorizationOf({ drm }: PlaybackSession, { authorizationScheme }: SessionRoute): string {
  return `${authorizationScheme} ${drm.drmLicenseToken}`;
}
