import type { OrganizationDocument } from '@multi-drm/contracts';
import { type OrganizationStreams, streamMember } from './organization-streams';
import type {
  ActiveSessionPage,
  FoundSession,
  LicenseCall,
  LicenseCallResult,
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
export class CountedSlots implements SlotStore {
  constructor(private readonly options: CountedSlotsOptions) {}

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { streams } = this.options;
    const { environmentId, subject } = request;
    const result = await this.options.slots.reserve(request);
    if (result.outcome === 'reserved' || result.outcome === 'repeated') {
      const added = { member: streamMember(request), expiresAt: result.expiresAt.getTime() };
      this.inBackground(environmentId, (organizationId) => streams.add(organizationId, [added]));
    }
    if (result.outcome === 'reserved') {
      const ended = result.endedSessionIds.map((sessionId) => streamMember({ environmentId, subject, sessionId }));
      this.inBackground(environmentId, (organizationId) => streams.remove(organizationId, ended));
    }
    return result;
  }

  find(session: SessionReference): Promise<FoundSession> {
    return this.options.slots.find(session);
  }

  async renew(request: RenewRequest): Promise<RenewResult> {
    const result = await this.options.slots.renew(request);
    if (result.outcome === 'renewed') {
      this.inBackground(request.environmentId, (organizationId) =>
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
    if (result === 'released') this.removeInBackground(session);
    return result;
  }

  remember(session: SessionReference, until: Date | null): Promise<'remembered' | 'known'> {
    return this.options.slots.remember(session, until);
  }

  async undo(session: ReservationReference): Promise<'undone' | 'unchanged'> {
    const result = await this.options.slots.undo(session);
    if (result === 'undone') this.removeInBackground(session);
    return result;
  }

  countOf(environmentId: string, subject: string): Promise<number> {
    return this.options.slots.countOf(environmentId, subject);
  }

  listSubject(environmentId: string, subject: string, page: PageRequest): Promise<ActiveSessionPage> {
    return this.options.slots.listSubject(environmentId, subject, page);
  }

  listEnvironment(environmentId: string, page: PageRequest): Promise<ActiveSessionPage> {
    return this.options.slots.listEnvironment(environmentId, page);
  }

  private removeInBackground(session: SessionReference): void {
    this.inBackground(session.environmentId, (organizationId) =>
      this.options.streams.remove(organizationId, [streamMember(session)]),
    );
  }

  private inBackground(environmentId: string, write: (organizationId: string) => Promise<void>): void {
    const run = async () => {
      const organization = await this.options.organizationOf(environmentId);
      if (organization !== null && organization.maximumConcurrentStreams !== null) {
        await write(organization.organizationId);
      }
    };
    run().catch(this.options.onFailure);
  }
}
