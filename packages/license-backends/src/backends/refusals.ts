import { Problem } from '@multi-drm/contracts';
import type { LicenseRefusal } from '@multi-drm/policy';

/**
 * Problems for cases in which a license server issues no license. The details are public: they say who has to act, and
 * contain nothing of the vendor's response. If the vendor named its reason as a plain code, that code is the cause.
 */

/** The vendor refused, and as far as known neither the settings nor the challenge is the reason. */
export function refused(reason?: unknown): Problem {
  return new Problem('license_backend_refused', 'The license server refused the license.', causedBy(reason));
}

/** Wrong credentials or a wrong URL, which a player cannot fix. */
export function settingsRefused(reason?: unknown): Problem {
  const detail =
    "The license server rejects the environment's settings; check the URL, the credentials and any rules that are " +
    'configured on the server.';
  return new Problem('license_backend_refused', detail, causedBy(reason));
}

/** The player's challenge is invalid, so the operator need not act. */
export function challengeRefused(reason?: unknown): Problem {
  const detail = "The license server does not accept the player's challenge.";
  return new Problem('license_challenge_invalid', detail, causedBy(reason));
}

/**
 * The vendor's protocol cannot express the request. A license request is then answered with `license_backend_refused`.
 * A session that could never get a license is not created; `creationCode` says whether another policy would help.
 */
export class NotExpressible extends Problem {
  constructor(
    readonly creationCode: LicenseRefusal['code'],
    detail: string,
  ) {
    super('license_backend_refused', detail);
  }
}

/** The policy requires something that the vendor has no field for. It is never weakened silently. */
export function policyNotExpressible(what: string): NotExpressible {
  return new NotExpressible(
    'license_policy_invalid',
    `The environment's license backend cannot enforce the policy: ${what}.`,
  );
}

/** The content lacks what the vendor's request needs, whatever the policy. */
export function contentNotExpressible(what: string): NotExpressible {
  return new NotExpressible(
    'drm_system_not_supported',
    `The environment's license backend cannot issue a license for the content: ${what}.`,
  );
}

/** The server failed temporarily. */
export function unavailable(reason?: unknown): Problem {
  return new Problem(
    'license_backend_unavailable',
    'The license server failed to issue a license; try again.',
    causedBy(reason),
  );
}

/**
 * The server reported success, but sent no license: either temporarily, or because the URL or response format is wrong.
 */
export function noLicense(reason?: unknown): Problem {
  return new Problem(
    'license_backend_unavailable',
    "The license server's response is not a license for the DRM system; if this persists, check the URL and the " +
      'response format.',
    causedBy(reason),
  );
}

/**
 * ClearKey has no key for the request. Which condition failed is not revealed, since that would show which key ids
 * exist.
 */
export function noRequestedKey(): Problem {
  return new Problem(
    'license_challenge_invalid',
    'None of the requested key ids belongs to the content, is allowed by the policy and has a stored key.',
  );
}

const plainCode = /^[A-Za-z0-9_.-]{1,64}$/;

/** A vendor's text may contain anything, so only what looks like a code is kept for the log. */
function causedBy(reason: unknown): { cause?: Error } {
  const text = typeof reason === 'number' ? String(reason) : reason;
  return typeof text === 'string' && plainCode.test(text) ? { cause: new Error(`license server: ${text}`) } : {};
}
