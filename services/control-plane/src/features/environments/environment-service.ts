import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import type { EnvironmentArchivingStore } from './environment-archiving-store';
import { environmentResponse } from './environment-response';
import type { EnvironmentRecord, EnvironmentStore } from './environment-store';

type EnvironmentResponse = ControlPlaneSchemas['EnvironmentResponse'];

/** An environment and its ETag. */
interface VersionedEnvironment {
  environment: EnvironmentResponse;
  etag: string;
}

interface EnvironmentOptions {
  store: EnvironmentStore;
  archiving: EnvironmentArchivingStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Environments of a project and their settings. */
export class EnvironmentService {
  constructor(private readonly options: EnvironmentOptions) {}

  /** All environments with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<EnvironmentResponse[]> {
    return (await this.options.store.list(projectId, status)).map(environmentResponse);
  }

  async read(environmentId: string): Promise<VersionedEnvironment> {
    return versioned(await this.options.store.read(environmentId));
  }

  /**
   * Adds an environment, or returns the one added by an earlier request with the same Idempotency-Key. Throws
   * `plan_limit_reached`, `conflict` if the project may have only one environment of this kind, or
   * `idempotency_key_reused`.
   */
  async create(
    projectId: string,
    request: ControlPlaneSchemas['CreateEnvironmentRequest'],
    change: Change,
  ): Promise<VersionedEnvironment> {
    const { store, publisher, now } = this.options;
    const made = await store.create(projectId, request, change, now());
    publisher.wake();
    return versioned('created' in made ? made.created : await store.read(made.repeatedId));
  }

  /**
   * Changes name and settings if they have not changed since the caller read them. Throws `invalid_request`,
   * `precondition_required`, `precondition_failed`, or `conflict` if the environment is archived.
   */
  async update(
    environmentId: string,
    ifMatch: string | undefined,
    request: ControlPlaneSchemas['UpdateEnvironmentRequest'],
    { actor }: Change,
  ): Promise<VersionedEnvironment> {
    const { store, publisher, now } = this.options;
    const updated = await store.update(environmentId, parseIfMatch(ifMatch), request, actor, now());
    publisher.wake();
    return versioned(updated);
  }

  /**
   * Archives an environment; an archived one stays as it is. Throws `precondition_failed` and, unless `cascade` is set,
   * `record_in_use` if the environment has published content or active sessions, or `service_unavailable` if sessions
   * cannot be counted.
   */
  async archive(environmentId: string, cascade: boolean, change: ConditionalChange): Promise<void> {
    const { archiving, publisher, now } = this.options;
    await archiving.archive(environmentId, cascade, change, now());
    publisher.wake();
  }

  /**
   * Restores an archived environment with its content; others stay as they are. Throws `precondition_failed`,
   * `plan_limit_reached`, or `conflict` if its project or a license profile that it needs is archived, or if the
   * project has another environment of its kind.
   */
  async restore(environmentId: string, change: ConditionalChange): Promise<VersionedEnvironment> {
    const { archiving, publisher, now } = this.options;
    const restored = await archiving.restore(environmentId, change, now());
    publisher.wake();
    return versioned(restored);
  }
}

function versioned(record: EnvironmentRecord): VersionedEnvironment {
  return { environment: environmentResponse(record), etag: etagOf(record.version) };
}
