import { Problem, type ProblemCode } from '@multi-drm/contracts';

/**
 * What is told when a license server gives no license. The details are public: they say whose turn it is and hold
 * nothing of the vendor's answer. What the vendor named as its reason, where it is a plain code, is the cause.
 */

/** The vendor said no for a reason that is neither the settings' nor the challenge's, as far as it can be told. */
export function refused(reason?: unknown): Problem {
  return new Problem('license_backend_refused', 'The license server refused the license.', causedBy(reason));
}

/** Wrong credentials, a wrong URL: nothing that a player could do better. */
export function settingsRefused(reason?: unknown): Problem {
  const detail =
    "The license server does not accept the environment's settings for it; check URL, credentials and, where it has " +
    'any, its own rules.';
  return new Problem('license_backend_refused', detail, causedBy(reason));
}

/** What the player sent is at fault: nothing that an operator has to look after. */
export function challengeRefused(reason?: unknown): Problem {
  const detail = "The license server does not accept the player's challenge.";
  return new Problem('license_challenge_invalid', detail, causedBy(reason));
}

/** What the creation of a session is refused with where no license could be had for it. */
export type CreationCode = Extract<ProblemCode, 'license_policy_invalid' | 'drm_system_not_supported'>;

/**
 * The vendor has no request for what is asked for. A license is answered `license_backend_refused` then; a session that
 * would never get one is not created, for which `creationCode` says whether another policy would help.
 */
export class NotExpressible extends Problem {
  constructor(
    readonly creationCode: CreationCode,
    detail: string,
  ) {
    super('license_backend_refused', detail);
  }
}

/** The policy asks for something that the vendor has no field for: it is never weakened silently. */
export function policyNotExpressible(what: string): NotExpressible {
  return new NotExpressible(
    'license_policy_invalid',
    `The environment's license backend cannot enforce the policy: ${what}.`,
  );
}

/** The content lacks what the vendor's request is made of, whatever the policy is. */
export function contentNotExpressible(what: string): NotExpressible {
  return new NotExpressible(
    'drm_system_not_supported',
    `The environment's license backend gives no license for the content: ${what}.`,
  );
}

/** The server failed for now. */
export function unavailable(reason?: unknown): Problem {
  return new Problem('license_backend_unavailable', 'The license server gave no license; try again.', causedBy(reason));
}

/** The server answered as if all were well, with something else: for now, or because URL or response format are wrong. */
export function noLicense(reason?: unknown): Problem {
  return new Problem(
    'license_backend_unavailable',
    'The license server answered with something that is no license of the DRM system; if it stays so, check the URL ' +
      'and the response format.',
    causedBy(reason),
  );
}

/** ClearKey has no key for the request. Which condition fails is not told: that would tell which key ids there are. */
export function noRequestedKey(): Problem {
  return new Problem(
    'license_challenge_invalid',
    'None of the requested key ids belongs to the content, is allowed by the policy and is kept with its key.',
  );
}

const plainCode = /^[A-Za-z0-9_.-]{1,64}$/;

/** A vendor's text may hold anything; only what looks like a code is kept, for the log. */
function causedBy(reason: unknown): { cause?: Error } {
  const text = typeof reason === 'number' ? String(reason) : reason;
  return typeof text === 'string' && plainCode.test(text) ? { cause: new Error(`license server: ${text}`) } : {};
}
