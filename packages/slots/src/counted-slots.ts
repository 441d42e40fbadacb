import type { OrganizationDocument } from '@multi-drm/contracts';
import { type OrganizationStreams, streamMember } from './organization-streams';
import type {
  PlacedReservation,
  RenewRequest,
  RenewResult,
  ReserveRequest,
  ReserveResult,
  RestoreRequest,
  RestoreResult,
  SessionReference,
  SlotStore,
} from './slot-store';

interface CountedSlotsOptions {
  streams: OrganizationStreams;
  /** Returns the organization of an environment; null if there is none. */
  organizationOf: (
    environmentId: string,
  ) => Promise<Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'> | null>;
  /** Called if a stream could not be written; the next recount corrects it. */
  onFailure: (error: unknown) => void;
}

/**
 * A slot store that also adds and removes the streams of organizations that have a limit, when sessions start and end. It writes them in
 * the background: callers do not wait, and a failed write refuses nobody.
 */
export class CountedSlots implements SlotStore {
  // These start and end no session.
  readonly find: SlotStore['find'] = (session) => this.slots.find(session);
  readonly countLicenseRequest: SlotStore['countLicenseRequest'] = (call) => this.slots.countLicenseRequest(call);
  readonly remember: SlotStore['remember'] = (session, until) => this.slots.remember(session, until);
  readonly countOf: SlotStore['countOf'] = (environmentId, subject) => this.slots.countOf(environmentId, subject);
  readonly listSubject: SlotStore['listSubject'] = (...list) => this.slots.listSubject(...list);
  readonly listEnvironment: SlotStore['listEnvironment'] = (...list) => this.slots.listEnvironment(...list);

  constructor(
    private readonly slots: SlotStore,
    private readonly counting: CountedSlotsOptions,
  ) {}

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { streams } = this.counting;
    const { environmentId, subject } = request;
    const result = await this.slots.reserve(request);
    if (result.outcome === 'reserved' || result.outcome === 'repeated') {
      this.addInBackground(request, result.expiresAt);
    }
    if (result.outcome === 'reserved' && result.endedSessionIds.length > 0) {
      const ended = result.endedSessionIds.map((sessionId) => streamMember({ environmentId, subject, sessionId }));
      this.inBackground(environmentId, (organizationId) => streams.remove(organizationId, ended));
    }
    return result;
  }

  async restore(request: RestoreRequest): Promise<RestoreResult> {
    const result = await this.slots.restore(request);
    if (result === 'reserved') this.addInBackground(request, request.expiresAt);
    return result;
  }

  async renew(request: RenewRequest): Promise<RenewResult> {
    const result = await this.slots.renew(request);
    if (result.outcome === 'renewed') {
      this.inBackground(request.environmentId, (organizationId) =>
        this.counting.streams.extend(organizationId, streamMember(request), result.expiresAt.getTime()),
      );
    }
    return result;
  }

  async release(session: Parameters<SlotStore['release']>[0]): ReturnType<SlotStore['release']> {
    const result = await this.slots.release(session);
    if (result === 'released') this.removeInBackground(session);
    return result;
  }

  async undo(session: PlacedReservation): Promise<'undone' | 'unchanged'> {
    const result = await this.slots.undo(session);
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
