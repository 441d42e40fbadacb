import { Problem } from '@multi-drm/contracts';
import { OutboundFailure } from '@multi-drm/service-kit';

/** What is told when a license server gave no answer at all. No detail names it or the address it resolved to. */

/** It failed time after time, and is left alone for a while. */
export function leftAlone(remainingMilliseconds: number): Problem {
  return new Problem(
    'license_backend_unavailable',
    'The license server failed repeatedly and is not asked for a moment; try again, and if it stays so, check the URL.',
    { headers: { 'Retry-After': String(Math.max(1, Math.ceil(remainingMilliseconds / 1000))) } },
  );
}

export function tooManyWaiting(): Problem {
  return new Problem('license_backend_unavailable', 'Too many requests wait for the license server; try again.', {
    headers: { 'Retry-After': '1' },
  });
}

const unavailableDetails = {
  timed_out: 'The license server did not answer in time; try again, and if it stays so, check the URL.',
  unreachable: 'The license server could not be reached; try again, and if it stays so, check the URL.',
  answer_too_large: 'The license server answers more than a license can be; check the URL.',
  broken_answer: 'The answer of the license server broke off, or is no HTTP; try again.',
  unknown_coding:
    'The license server answers in a content coding that is not understood; it must be gzip, deflate or br, one of them ' +
    'alone, or none.',
} as const;

/** The problem that a failure is answered with; whatever else is thrown stays what it is. */
export function problemOf(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  if (error.kind === 'address_refused') {
    const detail =
      'The address of the license server is not allowed: it must be public, with https outside of development ' +
      'environments, unless the operator of this service allows it.';
    return new Problem('license_backend_refused', detail, { cause: error });
  }
  const status = error.kind === 'timed_out' ? { status: 504 } : {};
  return new Problem('license_backend_unavailable', unavailableDetails[error.kind], { ...status, cause: error });
}
