import type { Mutant } from '../mutant';

const source = 'services/control-plane/src';

/** Protections of what administrators do with records of the control plane. */
export const recordMutants: Mutant[] = [
  {
    name: 'audited-end-user',
    protection: 'Of an end user the audit trail holds status and stream limit, and nothing personal.',
    file: `${source}/records/record-kinds.ts`,
    find: '{ audited: auditedEndUser,',
    replace: '{ audited: (user: AuditableEndUser) => user as never,',
    suite: 'audited-changes.test -t users',
  },
  {
    name: 'secrets-kept-by-put',
    protection: 'A PUT without a license backend does not delete stored secrets.',
    file: `${source}/features/drm-systems/drm-system-service.ts`,
    find: 'if (backend === undefined) requireNoSecrets(before);',
    replace: 'if (before.version < 0) requireNoSecrets(before);',
    suite: 'pause-and-remove.test',
  },
  {
    name: 'unplayed-manifest',
    protection: 'Publishing warns of a manifest that no enabled DRM system plays.',
    file: `${source}/features/license-warnings/license-warnings.ts`,
    find: '[...unplayed.map(noSystemOf), ...ofSystems]',
    replace: 'ofSystems',
    suite: 'license-warnings.test',
  },
];
