import { Problem } from '@multi-drm/contracts';
import { OutboundFailure } from '@multi-drm/service-kit';

/** Problems for cases in which a license server sent no response at all. Details never name it or its address. */

/** Repeated failures: requests to it pause for a while. */
export function circuitOpen(remainingMilliseconds: number): Problem {
  return new Problem(
    'license_backend_unavailable',
    'The license server failed repeatedly, so requests to it are paused; try again, and if this persists, check the URL.',
    { headers: { 'Retry-After': String(Math.max(1, Math.ceil(remainingMilliseconds / 1000))) } },
  );
}

export function tooManyWaiting(): Problem {
  return new Problem('license_backend_unavailable', 'Too many requests wait for the license server; try again.', {
    headers: { 'Retry-After': '1' },
  });
}

const unavailableDetails = {
  timed_out: 'The license server did not answer in time; try again, and if this persists, check the URL.',
  unreachable: 'The license server could not be reached; try again, and if this persists, check the URL.',
  answer_too_large: 'The response of the license server is too large for a license; check the URL.',
  broken_answer: 'The response of the license server was truncated, or is not HTTP; try again.',
  unknown_coding:
    'The response of the license server has an unsupported content coding; it must be gzip, deflate or br, only one of ' +
    'them, or none.',
} as const;

/** Converts a failure to its problem; returns any other error unchanged. */
export function problemOf(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  if (error.kind === 'address_refused') {
    const detail =
      'The address of the license server is not allowed: it must be public, unless the operator of this service allows ' +
      'it, and use https outside of development environments.';
    return new Problem('license_backend_refused', detail, { cause: error });
  }
  const status = error.kind === 'timed_out' ? { status: 504 } : {};
  return new Problem('license_backend_unavailable', unavailableDetails[error.kind], { ...status, cause: error });
}
