import type { ProblemCode } from '@multi-drm/contracts';
import { checkStillAllowed } from './check-still-allowed';
import { contentWith, environmentWith, now, organization } from './testing/facts';

type Session = Parameters<typeof checkStillAllowed>[0];

const session: Session = {
  organization,
  environment: environmentWith(),
  content: contentWith(),
  drmSystem: 'widevine',
  availableFrom: null,
  availableUntil: null,
};
const withoutDrm = { ...environmentWith(), drmSystems: [] };

test.each<[string, Partial<Session>]>([
  ['nothing changed', {}],
  ['the window has just opened', { availableFrom: now.toISOString() }],
  ['the window is about to close', { availableUntil: new Date(now.getTime() + 1).toISOString() }],
])('a session may continue if %s', (_case, change) => {
  const changed = { ...session, ...change };
  expect(checkStillAllowed(changed, now)).toEqual({ outcome: 'passed', content: changed.content });
});

test.each<[string, Partial<Session>, ProblemCode]>([
  [
    'the organization is suspended',
    { organization: { ...organization, status: 'suspended' } },
    'environment_suspended',
  ],
  ['the organization is gone', { organization: null }, 'environment_suspended'],
  ['the content is gone', { content: null }, 'content_not_found'],
  ['the content is a draft again', { content: contentWith({ status: 'draft' }) }, 'content_not_published'],
  ['the DRM system is no longer enabled', { environment: withoutDrm }, 'drm_system_not_supported'],
  ['the window closed', { availableUntil: now.toISOString() }, 'content_not_available'],
  [
    'the window has not opened yet',
    { availableFrom: new Date(now.getTime() + 1).toISOString() },
    'content_not_available',
  ],
])('a session may not continue if %s', (_case, change, code) => {
  expect(checkStillAllowed({ ...session, ...change }, now)).toMatchObject({ outcome: 'refused', code });
});
