import type { OrganizationDocument } from '@multi-drm/contracts';
import { type OrganizationStreams, streamMember } from './organization-streams';
import type {
  FoundSession,
  LicenseCall,
  LicenseCallResult,
  LiveSessionPage,
  PageRequest,
  RenewRequest,
  RenewResult,
  ReservationReference,
  ReserveRequest,
  ReserveResult,
  SessionReference,
  SlotStore,
} from './slot-store';

interface CountedSlotsOptions {
  slots: SlotStore;
  streams: OrganizationStreams;
  /** The organization of an environment; null where there is none. */
  organizationOf: (
    environmentId: string,
  ) => Promise<Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'> | null>;
  /** Told why a stream could not be written; the next recount puts it right. */
  onFailure: (error: unknown) => void;
}

/**
 * Slots whose starts and ends are written to the streams of their organization, where that has a limit. They are written behind
 * the answer: no caller waits for it, and none is refused because it fails.
 */
export class CountedSlots implements SlotStore {
  constructor(private readonly options: CountedSlotsOptions) {}

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { streams } = this.options;
    const { environmentId, subject } = request;
    const result = await this.options.slots.reserve(request);
    if (result.outcome === 'reserved' || result.outcome === 'repeated') {
      const added = { member: streamMember(request), expiresAt: result.expiresAt.getTime() };
      this.behind(environmentId, (organizationId) => streams.add(organizationId, [added]));
    }
    if (result.outcome === 'reserved') {
      const ended = result.endedSessionIds.map((sessionId) => streamMember({ environmentId, subject, sessionId }));
      this.behind(environmentId, (organizationId) => streams.remove(organizationId, ended));
    }
    return result;
  }

  find(session: SessionReference): Promise<FoundSession> {
    return this.options.slots.find(session);
  }

  async renew(request: RenewRequest): Promise<RenewResult> {
    const result = await this.options.slots.renew(request);
    if (result.outcome === 'renewed') {
      this.behind(request.environmentId, (organizationId) =>
        this.options.streams.extend(organizationId, streamMember(request), result.expiresAt.getTime()),
      );
    }
    return result;
  }

  countLicenseRequest(call: LicenseCall): Promise<LicenseCallResult> {
    return this.options.slots.countLicenseRequest(call);
  }

  async release(session: Parameters<SlotStore['release']>[0]): ReturnType<SlotStore['release']> {
    const result = await this.options.slots.release(session);
    if (result === 'released') this.removeBehind(session);
    return result;
  }

  remember(session: SessionReference, until: Date | null): Promise<'remembered' | 'known'> {
    return this.options.slots.remember(session, until);
  }

  async undo(session: ReservationReference): Promise<'undone' | 'unchanged'> {
    const result = await this.options.slots.undo(session);
    if (result === 'undone') this.removeBehind(session);
    return result;
  }

  countOf(environmentId: string, subject: string): Promise<number> {
    return this.options.slots.countOf(environmentId, subject);
  }

  listSubject(environmentId: string, subject: string, page: PageRequest): Promise<LiveSessionPage> {
    return this.options.slots.listSubject(environmentId, subject, page);
  }

  listEnvironment(environmentId: string, page: PageRequest): Promise<LiveSessionPage> {
    return this.options.slots.listEnvironment(environmentId, page);
  }

  private removeBehind(session: SessionReference): void {
    this.behind(session.environmentId, (organizationId) =>
      this.options.streams.remove(organizationId, [streamMember(session)]),
    );
  }

  private behind(environmentId: string, write: (organizationId: string) => Promise<void>): void {
    const run = async () => {
      const organization = await this.options.organizationOf(environmentId);
      if (organization !== null && organization.maximumConcurrentStreams !== null) {
        await write(organization.organizationId);
      }
    };
    run().catch(this.options.onFailure);
  }
}
