import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import type { Page } from '../../records/page';
import type { EndUserQuery, EndUserRecord, EndUserStore } from './end-user-store';

type EndUserResponse = ControlPlaneSchemas['EndUserResponse'];

/** Maximum size of a user's attributes, in bytes of JSON. */
const maximumAttributesBytes = 4 * 1024;

/** An end user and its ETag. */
interface VersionedEndUser {
  endUser: EndUserResponse;
  etag: string;
}

interface EndUserOptions {
  store: EndUserStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Viewers as synchronized by the customer's system of record. */
export class EndUserService {
  constructor(private readonly options: EndUserOptions) {}

  async list(
    projectId: string,
    query: EndUserQuery,
    page: Page,
  ): Promise<ControlPlaneSchemas['PagedResponseOfEndUserResponse']> {
    const { items, total } = await this.options.store.list(projectId, query, page);
    return { items: items.map(endUserResponse), total, ...page };
  }

  async read(userId: string): Promise<VersionedEndUser> {
    return versioned(await this.options.store.read(userId));
  }

  /** Creates the user, or updates the sent fields of the one with this subject. Throws `invalid_request`. */
  async synchronize(
    projectId: string,
    { subject, ...fields }: ControlPlaneSchemas['SynchronizeEndUserRequest'],
    change: Change,
  ): Promise<VersionedEndUser> {
    const { store, publisher, now } = this.options;
    requireSmall(fields.attributes);
    const outcome = await store.synchronize(projectId, subject, fields, change, now());
    if ('repeatedId' in outcome) return this.read(outcome.repeatedId);
    publisher.wake();
    return versioned(outcome.created);
  }

  /**
   * Updates a user if it has not changed since the caller read it. Throws `invalid_request`, `precondition_required`,
   * `precondition_failed`, or `conflict` if the user is erased.
   */
  async update(
    userId: string,
    ifMatch: string | undefined,
    fields: ControlPlaneSchemas['UpdateEndUserRequest'],
    change: Change,
  ): Promise<VersionedEndUser> {
    const { store, publisher, now } = this.options;
    const versions = parseIfMatch(ifMatch);
    requireSmall(fields.attributes);
    const updated = await store.update(userId, versions, fields, change, now());
    publisher.wake();
    return versioned(updated);
  }

  /**
   * Erases personal data and keeps the id; repeating it does nothing. The subject becomes free for a new user. Throws
   * `precondition_failed`.
   */
  async erase(userId: string, change: ConditionalChange): Promise<void> {
    const { store, publisher, now } = this.options;
    await store.erase(userId, change, now());
    publisher.wake();
  }
}

function requireSmall(attributes: ControlPlaneSchemas['EndUserAttributes'] | undefined): void {
  if (attributes === undefined || Buffer.byteLength(JSON.stringify(attributes), 'utf8') <= maximumAttributesBytes)
    return;
  throw invalidRequest({ attributes: [`must be at most ${maximumAttributesBytes} bytes of JSON`] });
}

function versioned(user: EndUserRecord): VersionedEndUser {
  return { endUser: endUserResponse(user), etag: etagOf(user.version) };
}

function endUserResponse(user: EndUserRecord): EndUserResponse {
  return {
    userId: user.id,
    projectId: user.projectId,
    subject: user.subject,
    displayName: user.displayName,
    email: user.email,
    status: user.status,
    maximumConcurrentStreams: user.maximumConcurrentStreams,
    // Safe: the API accepts only objects.
    attributes: user.attributes as EndUserResponse['attributes'],
    createdAt: user.createdAt.toISOString(),
    synchronizedAt: user.synchronizedAt.toISOString(),
  };
}
