import type { OrganizationDocument } from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import { type OrganizationStreams, streamMember } from './organization-streams';
import { RedisSlotStore, type SlotStoreOptions } from './redis-slot-store';
import type {
  PlacedReservation,
  RenewRequest,
  RenewResult,
  ReserveAnewRequest,
  ReserveAnewResult,
  ReserveRequest,
  ReserveResult,
  SessionReference,
  SlotStore,
} from './slot-store';

interface CountedSlotsOptions extends SlotStoreOptions {
  streams: OrganizationStreams;
  /** Returns the organization of an environment; null if there is none. */
  organizationOf: (
    environmentId: string,
  ) => Promise<Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'> | null>;
  /** Called if a stream could not be written; the next recount corrects it. */
  onFailure: (error: unknown) => void;
}

/**
 * Slots that also write starts and ends of sessions to the streams of their organization, if it has a limit. The writes happen in the
 * background: callers do not wait for them and are not refused because of their failure.
 */
export class CountedSlots extends RedisSlotStore {
  constructor(
    client: Redis | Cluster,
    private readonly counting: CountedSlotsOptions,
  ) {
    super(client, counting);
  }

  override async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { streams } = this.counting;
    const { environmentId, subject } = request;
    const result = await super.reserve(request);
    if (result.outcome === 'reserved' || result.outcome === 'repeated') {
      this.addInBackground(request, result.expiresAt);
    }
    if (result.outcome === 'reserved' && result.endedSessionIds.length > 0) {
      const ended = result.endedSessionIds.map((sessionId) => streamMember({ environmentId, subject, sessionId }));
      this.inBackground(environmentId, (organizationId) => streams.remove(organizationId, ended));
    }
    return result;
  }

  override async reserveAnew(request: ReserveAnewRequest): Promise<ReserveAnewResult> {
    const result = await super.reserveAnew(request);
    if (result === 'reserved') this.addInBackground(request, request.expiresAt);
    return result;
  }

  override async renew(request: RenewRequest): Promise<RenewResult> {
    const result = await super.renew(request);
    if (result.outcome === 'renewed') {
      this.inBackground(request.environmentId, (organizationId) =>
        this.counting.streams.extend(organizationId, streamMember(request), result.expiresAt.getTime()),
      );
    }
    return result;
  }

  override async release(session: Parameters<SlotStore['release']>[0]): ReturnType<SlotStore['release']> {
    const result = await super.release(session);
    if (result === 'released') this.removeInBackground(session);
    return result;
  }

  override async undo(session: PlacedReservation): Promise<'undone' | 'unchanged'> {
    const result = await super.undo(session);
    if (result === 'undone') this.removeInBackground(session);
    return result;
  }

  private addInBackground(session: SessionReference, expiresAt: Date): void {
    const added = { member: streamMember(session), expiresAt: expiresAt.getTime() };
    this.inBackground(session.environmentId, (organizationId) => this.counting.streams.add(organizationId, [added]));
  }

  private removeInBackground(session: SessionReference): void {
    this.inBackground(session.environmentId, (organizationId) =>
      this.counting.streams.remove(organizationId, [streamMember(session)]),
    );
  }

  private inBackground(environmentId: string, write: (organizationId: string) => Promise<void>): void {
    const run = async () => {
      const organization = await this.counting.organizationOf(environmentId);
      if (organization !== null && organization.maximumConcurrentStreams !== null) {
        await write(organization.organizationId);
      }
    };
    run().catch(this.counting.onFailure);
  }
}
