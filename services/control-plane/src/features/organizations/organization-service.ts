import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { Caller } from '../../access/access';
import { findPlan } from '../../plans/plans';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import type { Page } from '../../records/page';
import { comparisonKey } from './comparison-key';
import { organizationResponse, organizationSummary } from './organization-response';
import type {
  OrganizationChange,
  OrganizationQuery,
  OrganizationRecord,
  OrganizationStore,
} from './organization-store';

type UpdateRequest = ControlPlaneSchemas['UpdateOrganizationRequest'];

/** An organization and its ETag. */
interface VersionedOrganization {
  organization: ControlPlaneSchemas['OrganizationResponse'];
  etag: string;
}

interface OrganizationOptions {
  store: OrganizationStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Customer companies. */
export class OrganizationService {
  constructor(private readonly options: OrganizationOptions) {}

  /** Oldest first: all organizations for the operator, the caller's own for other callers. */
  async list(
    caller: Caller | null,
    { search, ...query }: Pick<OrganizationQuery, 'status' | 'search' | 'sort'>,
    page: Page,
  ): Promise<ControlPlaneSchemas['PagedResponseOfOrganizationSummaryResponse']> {
    if (caller === null) throw new Error('the list of organizations is not public');
    const onlyId = caller.kind === 'operator' ? undefined : caller.organizationId;
    const { items, total } = await this.options.store.list(
      { ...query, search: search && comparisonKey(search), onlyId },
      page,
    );
    return { items: items.map(organizationSummary), total, ...page };
  }

  async read(organizationId: string): Promise<VersionedOrganization> {
    return versioned(await this.options.store.read(organizationId));
  }

  /**
   * Updates an organization if it has not changed since the caller read it. Throws `permission_denied` for fields that
   * only the operator may change, `invalid_request`, `precondition_required`, `precondition_failed` or `conflict`.
   */
  async update(
    organizationId: string,
    ifMatch: string | undefined,
    request: UpdateRequest,
    { actor }: Change,
  ): Promise<VersionedOrganization> {
    if (actor.kind !== 'operator') requireOwnFields(request);
    const { store, publisher, now } = this.options;
    const versions = parseIfMatch(ifMatch);
    if (request.planId !== undefined && findPlan(request.planId) === undefined) {
      throw invalidRequest({ planId: ['must be one of the plans'] });
    }
    const fields = Object.keys(request);
    const change = changeOf(request);
    const updated = await store.update(organizationId, { ifMatch: versions, change, fields, actor, now: now() });
    if (updated === 'stale') {
      throw new Problem('precondition_failed', 'The organization has changed since; read it again.');
    }
    if (updated === 'taken') {
      // Same text as for registrations: which of the two matched would reveal who is a customer.
      throw new Problem(
        'conflict',
        'A company with this name and country, or with this administrator, is already registered.',
      );
    }
    publisher.wake();
    return versioned(updated);
  }

  /** Archives an organization; an archived one stays as it is. Throws `precondition_failed`. */
  async archive(organizationId: string, change: ConditionalChange): Promise<void> {
    const { store, publisher, now } = this.options;
    await store.archive(organizationId, change, now());
    publisher.wake();
  }

  /** Restores an archived organization as suspended; others stay as they are. Throws `precondition_failed`. */
  async restore(organizationId: string, change: ConditionalChange): Promise<VersionedOrganization> {
    const { store, publisher, now } = this.options;
    const restored = await store.restore(organizationId, change, now());
    publisher.wake();
    return versioned(restored);
  }
}

function requireOwnFields(request: UpdateRequest): void {
  const refused = (['planId', 'status'] as const).filter((field) => request[field] !== undefined);
  if (refused.length === 0) return;
  throw new Problem('permission_denied', `Only the operator may change ${refused.join(' and ')}.`);
}

function changeOf({ name, administrator, ...rest }: UpdateRequest): OrganizationChange {
  return {
    ...rest,
    ...(name === undefined ? {} : { companyName: name, companyNameKey: comparisonKey(name) }),
    ...(administrator === undefined
      ? {}
      : {
          administratorName: administrator.name,
          administratorEmail: administrator.email,
          administratorEmailKey: comparisonKey(administrator.email),
        }),
  };
}

function versioned(record: OrganizationRecord): VersionedOrganization {
  return { organization: organizationResponse(record), etag: etagOf(record.version) };
}
