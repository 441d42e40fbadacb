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
    name: 'erased-block',
    protection: 'A blocked viewer stays blocked when it is erased.',
    file: `${source}/features/end-users/end-user-service.ts`,
    find: "if (status === 'blocked') await keepBlock(",
    replace: "if (status !== 'blocked') await keepBlock(",
    suite: 'kept-block.test',
  },
  {
    name: 'kept-block-met',
    protection: 'A viewer that was erased while it was blocked is blocked when it is synchronized again.',
    file: `${source}/features/end-users/end-user-service.ts`,
    find: "kept ? { ...values, status: 'blocked' } : values",
    replace: 'values',
    suite: 'kept-block.test',
  },
  {
    name: 'former-tombstone',
    protection: 'No tombstone has a key that names a viewer.',
    file: `${source}/publishing/document-writer.ts`,
    find: "document === '' && key.startsWith(formerEndUserKeyStart)",
    replace: "document === 'none' && key.startsWith(formerEndUserKeyStart)",
    suite: 'former-format.test',
  },
  {
    name: 'told-after-erasure',
    protection: 'What is told of an erased viewer later does not name it.',
    file: `${source}/events/entry-store.ts`,
    find: 'await withoutErasedSubjects(client, this.readBuckets, known)',
    replace: 'known',
    suite: 'events/erasures.test',
  },
  {
    name: 'sealed-hash-key',
    protection: 'The key of the hash of erased viewers is not in Redis in the clear.',
    file: `${source}/publishing/completeness.ts`,
    find: 'this.seal.seal(document.subjectHashKey)',
    replace: 'document.subjectHashKey',
    suite: 'seal-hash-key.test',
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
