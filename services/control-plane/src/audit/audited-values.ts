import { isDeepStrictEqual } from 'node:util';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';

/**
 * What decides whether a viewer may watch. The types exclude the rest of an end user, which is personal: an event
 * outlives an erasure.
 */
export type AuditedEndUser = Pick<ControlPlaneSchemas['EndUserResponse'], 'status' | 'maximumConcurrentStreams'> & {
  [Personal in 'subject' | 'displayName' | 'email' | 'attributes']?: never;
};

/** Records in their API form, and so without secrets: the types exclude database rows. */
export type AuditedRecord =
  | AuditedEndUser
  | ControlPlaneSchemas[
      | 'OrganizationResponse'
      | 'ManagementKeyResponse'
      | 'ProjectResponse'
      | 'EnvironmentResponse'
      | 'DrmSystemConfigurationResponse'
      | 'RightsResponse'
      | 'LicenseProfileResponse'
      | 'ContentAssetResponse'
      | 'ApiClientResponse'
      | 'WebhookEndpointResponse'];

type Values = Record<string, unknown>;

/** The values recorded in an audit event. */
export interface AuditedValues {
  /** The old values of the changed fields; null if there was no record. */
  before: Values | null;
  /** The new values of the same fields. */
  after: Values | null;
  /** Names of changed fields that are too large to be recorded. */
  omitted: string[];
}

/** Maximum bytes of JSON of one field, and of all fields of one side together. */
const maximumFieldBytes = 4 * 1024;
const maximumBytes = 16 * 1024;

/** The record's timestamps, and values counted or recorded separately: no change sets these. */
const beside = new Set(['createdAt', 'updatedAt', 'lastUsedAt', 'projectCount']);

/** The values that a change set: all of a new record, or the differences from the previous state. */
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

/** The members that differ, on each side, recursively for objects. Members missing on one side are null there. */
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
