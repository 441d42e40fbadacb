import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { Caller } from '../../access/access';
import type { Database } from '../../database/database';
import { isUniqueViolation } from '../../database/unique-violation';
import { findPlan } from '../../plans/plans';
import {
  addEntriesForOrganization,
  addEntriesForRestoredOrganization,
} from '../../publishing/dependent-outbox-entries';
import type { ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { organizationResponse, organizationSummary } from '../../responses/organizations';
import { type OrganizationQuery, readOrganizationPage } from '../../stores/organization-list';
import {
  changeOrganization,
  lockOrganizationRow,
  type OrganizationValues,
  readOrganization,
} from '../../stores/organizations';
import type { Page } from '../../stores/page';
import { comparisonKey, emailComparisonKey } from './comparison-key';

type UpdateRequest = ControlPlaneSchemas['UpdateOrganizationRequest'];

type OrganizationReply = RecordReply<ControlPlaneSchemas['OrganizationResponse']>;

interface OrganizationOptions {
  database: Database;
  changes: Changes;
}

/** Customer companies. */
export class OrganizationService {
  constructor(private readonly options: OrganizationOptions) {}

  /** Oldest first: all organizations for the operator, the caller's own for other callers. */
  async list(
    caller: Caller | null,
    { search, ...query }: Pick<OrganizationQuery, 'status' | 'sort'> & { search?: string | undefined },
    page: Page,
  ): Promise<ControlPlaneSchemas['PagedResponseOfOrganizationSummaryResponse']> {
    if (caller === null) throw new Error('the list of organizations is not public');
    const onlyId = caller.kind === 'operator' ? undefined : caller.organizationId;
    const prefixes =
      search === undefined ? {} : { search: { name: comparisonKey(search), email: emailComparisonKey(search) } };
    const { items, total } = await readOrganizationPage(this.options.database, { ...query, ...prefixes, onlyId }, page);
    return { items: items.map(organizationSummary), total, ...page };
  }

  async read(organizationId: string): Promise<OrganizationReply> {
    return recordReply(await readOrganization(this.options.database, organizationId), organizationResponse);
  }

  /**
   * Updates an organization if it has not changed since the caller read it. Throws `invalid_request`,
   * `precondition_failed` or `conflict`.
   */
  async update(organizationId: string, request: UpdateRequest, change: ConditionalChange): Promise<OrganizationReply> {
    if (request.planId !== undefined && findPlan(request.planId) === undefined) {
      throw invalidRequest({ planId: ['must be one of the plans'] });
    }
    try {
      const updated = await this.options.changes.runExclusively(change, async (open) => {
        const { transaction, now } = open;
        const before = await lockOrganizationRow(transaction, organizationId);
        requireChangeable(before, change.ifMatch, 'organization');
        const after = await changeOrganization(transaction, organizationId, valuesOf(request), now);
        await open.record('organization', 'update', { before, after, details: { fields: Object.keys(request) } });
        return after;
      });
      return recordReply(updated, organizationResponse);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Same text as for registrations: which of the two matched would reveal who is a customer.
      throw new Problem(
        'conflict',
        'A company with this name and country, or with this administrator, is already registered.',
      );
    }
  }

  /** Archives an organization; an archived one stays as it is. Throws `precondition_failed`. */
  async archive(organizationId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.runExclusively(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockOrganizationRow(transaction, organizationId);
      if (before.status === 'archived') return;
      requireMatch(before, change.ifMatch, 'organization');
      const after = await changeOrganization(transaction, organizationId, { status: 'archived' }, now);
      await addEntriesForOrganization(transaction, organizationId);
      await open.record('organization', 'archive', { before, after });
    });
  }

  /** Restores an archived organization as suspended; others stay as they are. Throws `precondition_failed`. */
  async restore(organizationId: string, change: ConditionalChange): Promise<OrganizationReply> {
    const restored = await this.options.changes.runExclusively(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockOrganizationRow(transaction, organizationId);
      requireMatch(before, change.ifMatch, 'organization');
      if (before.status !== 'archived') return before;
      const after = await changeOrganization(transaction, organizationId, { status: 'suspended' }, now);
      await addEntriesForRestoredOrganization(transaction, organizationId);
      await open.record('organization', 'restore', { before, after });
      return after;
    });
    return recordReply(restored, organizationResponse);
  }
}

function valuesOf({ name, administrator, ...rest }: UpdateRequest): OrganizationValues {
  return {
    ...rest,
    ...(name === undefined ? {} : { companyName: name, companyNameKey: comparisonKey(name) }),
    ...(administrator === undefined
      ? {}
      : {
          administratorName: administrator.name,
          administratorEmail: administrator.email,
          administratorEmailKey: emailComparisonKey(administrator.email),
        }),
  };
}
