import { isDeepStrictEqual } from 'node:util';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';

/**
 * Records as the API shows them, and so without their secrets: by its types, a row of the database is none of these.
 * Neither is an end user, of whom the audit trail keeps no values.
 */
export type AuditedRecord = ControlPlaneSchemas[
  | 'OrganizationResponse'
  | 'ManagementKeyResponse'
  | 'ProjectResponse'
  | 'EnvironmentResponse'
  | 'DrmSystemConfigurationResponse'
  | 'RightsResponse'
  | 'LicenseProfileResponse'
  | 'ContentAssetResponse'
  | 'ApiClientResponse'];

type Values = Record<string, unknown>;

/** What an audit event tells of a record's values. */
export interface AuditedValues {
  /** The fields that changed, as they were; null: there was no record. */
  before: Values | null;
  /** The same fields, as they are now. */
  after: Values | null;
  /** Names of fields that changed and are too large to be kept. */
  omitted: string[];
}

/** Bytes of JSON of one field, and of all fields of one side together. */
const maximumFieldBytes = 4 * 1024;
const maximumBytes = 16 * 1024;

/** Times of the record itself, and what is counted or noted beside it: no change sets these. */
const beside = new Set(['createdAt', 'updatedAt', 'lastUsedAt', 'projectCount']);

/** The values that a change set: all of a new record, and of an earlier one what differs. */
export function auditedValues(before: AuditedRecord | null, after: AuditedRecord): AuditedValues {
  const changed: { before: Values | null; after: Values } =
    before === null ? { before: null, after: { ...after } } : difference({ ...before }, { ...after });
  const room = { before: maximumBytes, after: maximumBytes };
  const omitted: string[] = [];
  for (const field of Object.keys(changed.after)) {
    if (beside.has(field)) {
      remove(changed, field);
      continue;
    }
    const sizes = { before: bytesOf(changed.before?.[field]), after: bytesOf(changed.after[field]) };
    const fits = (side: 'before' | 'after') => sizes[side] <= Math.min(maximumFieldBytes, room[side]);
    if (fits('before') && fits('after')) {
      room.before -= sizes.before;
      room.after -= sizes.after;
    } else {
      remove(changed, field);
      omitted.push(field);
    }
  }
  return { ...changed, omitted };
}

function remove({ before, after }: { before: Values | null; after: Values }, field: string): void {
  delete before?.[field];
  delete after[field];
}

/** The members that differ, on each side; those of objects in objects. What one side lacks is null there. */
function difference(before: Values, after: Values): { before: Values; after: Values } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const members = names.flatMap((name) => {
    const [old, present] = [before[name] ?? null, after[name] ?? null];
    if (isDeepStrictEqual(old, present)) return [];
    if (!isValues(old) || !isValues(present)) return [{ name, before: old, after: present }];
    return [{ name, ...difference(old, present) }];
  });
  return {
    before: Object.fromEntries(members.map((member) => [member.name, member.before])),
    after: Object.fromEntries(members.map((member) => [member.name, member.after])),
  };
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null), 'utf8');
}
