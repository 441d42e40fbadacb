import { Problem } from '@multi-drm/contracts';
import type { BackendAnswer, LicenseBackend, LicenseCall } from '../license-backend';
import { answerOf } from './exchange';

/** Returns the Problem that an action throws. */
export async function problemOf(action: () => unknown): Promise<Problem> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('no Problem was thrown');
}

const noLicense = /not a license for the DRM system; if this persists, check the URL and the response format/;

/** Responses that no backend accepts as a license, with the resulting problem. */
const cases: [string, BackendAnswer, string, RegExp][] = [
  ['an empty answer', answerOf(200, ''), 'license_backend_unavailable', noLicense],
  ['a web page', answerOf(200, '<!DOCTYPE html><p>secret of the vendor'), 'license_backend_unavailable', noLicense],
  ['arbitrary text', answerOf(200, 'secret of the vendor'), 'license_backend_unavailable', noLicense],
  ['other JSON', answerOf(200, { hint: 'secret of the vendor' }), 'license_backend_unavailable', noLicense],
  ['no content', answerOf(204, ''), 'license_backend_unavailable', noLicense],
  ['wrong credentials', answerOf(401, 'secret of the vendor'), 'license_backend_refused', /settings/],
  ['a 403', answerOf(403, '<html>secret of the vendor'), 'license_backend_refused', /settings/],
  ['a redirect', answerOf(302, ''), 'license_backend_refused', /settings/],
  ['no license server', answerOf(404, 'secret of the vendor'), 'license_backend_refused', /settings/],
  ...[400, 415, 422].map((status): (typeof cases)[number] => [
    `a bad challenge (${status})`,
    answerOf(status, 'secret of the vendor'),
    'license_challenge_invalid',
    /does not accept the player's challenge/,
  ]),
  ['a refusal', answerOf(409, 'secret of the vendor'), 'license_backend_refused', /refused the license/],
  ['too many requests', answerOf(429, 'secret of the vendor'), 'license_backend_unavailable', /try again/],
  ['a failure', answerOf(500, 'secret of the vendor'), 'license_backend_unavailable', /try again/],
  ['a gateway', answerOf(503, '<html>secret of the vendor'), 'license_backend_unavailable', /try again/],
];

/** Tests for every backend with a server, for one DRM system. WisePlay licenses may be text. */
export function refusalTests(backend: LicenseBackend, call: LicenseCall): void {
  const isFitting = ([name]: (typeof cases)[number]) =>
    call.drmSystem !== 'wiseplay' || (name !== 'arbitrary text' && name !== 'other JSON');
  test.each(cases.filter(isFitting))(
    `${call.drmSystem}: %s is a problem that reveals nothing of the response`,
    async (_name, answer, code, detail) => {
      const problem = await problemOf(() => backend.unwrap(answer, call));
      expect(problem.code).toBe(code);
      expect(problem.detail).toMatch(detail);
      expect(`${problem.detail} ${JSON.stringify(problem.members)} ${problem.cause}`).not.toMatch(/secret/);
    },
  );
}
