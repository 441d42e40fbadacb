import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { rightsResponse } from './rights-response';
import type { RightsRecord, RightsStore } from './rights-store';
import { requireWindow, rightsValues } from './rights-values';

/** Rights and their ETag. */
interface VersionedRights {
  rights: ControlPlaneSchemas['RightsResponse'];
  etag: string;
}

interface RightsOptions {
  store: RightsStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Reusable playback rights of a project. */
export class RightsService {
  constructor(private readonly options: RightsOptions) {}

  /** All rights with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<ControlPlaneSchemas['RightsResponse'][]> {
    return (await this.options.store.list(projectId, status)).map(rightsResponse);
  }

  async read(rightsId: string): Promise<VersionedRights> {
    return versioned(await this.options.store.read(rightsId));
  }

  /** Throws `invalid_request` if the rights would end before they begin. */
  async create(
    projectId: string,
    request: ControlPlaneSchemas['CreateRightsRequest'],
    change: Change,
  ): Promise<VersionedRights> {
    const { store, publisher, now } = this.options;
    const values = { ...rightsValues(request), name: request.name };
    requireWindow(values);
    const made = await store.create(projectId, values, change, now());
    if ('repeatedId' in made) return this.read(made.repeatedId);
    publisher.wake();
    return versioned(made.created);
  }

  /** Throws `precondition_required`, `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(
    rightsId: string,
    ifMatch: string | undefined,
    request: ControlPlaneSchemas['UpdateRightsRequest'],
    change: Change,
  ): Promise<VersionedRights> {
    const { store, publisher, now } = this.options;
    const updated = await store.update(rightsId, parseIfMatch(ifMatch), rightsValues(request), change, now());
    publisher.wake();
    return versioned(updated);
  }

  /** Archives rights; repeating it does nothing. Throws `record_in_use`. */
  async archive(rightsId: string, change: ConditionalChange): Promise<void> {
    await this.options.store.archive(rightsId, change, this.options.now());
  }

  /**
   * Restores archived rights; others stay as they are. No active license profile uses them, so nothing needs to be
   * published. Throws `precondition_failed`, or `conflict` if the project is archived.
   */
  async restore(rightsId: string, change: ConditionalChange): Promise<VersionedRights> {
    return versioned(await this.options.store.restore(rightsId, change, this.options.now()));
  }
}

function versioned(record: RightsRecord): VersionedRights {
  return { rights: rightsResponse(record), etag: etagOf(record.version) };
}
