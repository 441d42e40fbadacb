import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { environmentResponse } from '../environments/environment-response';
import type { ProjectArchivingStore } from './project-archiving-store';
import { projectResponse } from './project-response';
import type { ProjectRecord, ProjectStore } from './project-store';

type ProjectResponse = ControlPlaneSchemas['ProjectResponse'];

/** A project and its ETag. */
interface VersionedProject {
  project: ProjectResponse;
  etag: string;
}

interface ProjectOptions {
  store: ProjectStore;
  archiving: ProjectArchivingStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Projects of an organization. */
export class ProjectService {
  constructor(private readonly options: ProjectOptions) {}

  /** All projects with the status, oldest first. */
  async list(organizationId: string, status: 'active' | 'archived'): Promise<ProjectResponse[]> {
    return (await this.options.store.list(organizationId, status)).map(projectResponse);
  }

  async read(projectId: string): Promise<VersionedProject> {
    return versioned(await this.options.store.read(projectId));
  }

  /**
   * Creates a project with a development and a production environment, or returns the one created by an earlier request
   * with the same Idempotency-Key. Throws `plan_limit_reached`, `conflict` or `idempotency_key_reused`.
   */
  async create(
    organizationId: string,
    { name, description }: ControlPlaneSchemas['CreateProjectRequest'],
    change: Change,
  ): Promise<VersionedProject> {
    const { store, publisher, now } = this.options;
    const request = { organizationId, name, description: description ?? null };
    const made = await store.create(request, change, now());
    publisher.wake();
    const record = 'created' in made ? made.created : await store.readWithEnvironments(made.repeatedId);
    const { project, etag } = versioned(record);
    return { project: { ...project, environments: record.environments.map(environmentResponse) }, etag };
  }

  /**
   * Updates a project if it has not changed since the caller read it. Throws `precondition_required`,
   * `precondition_failed`, or `conflict` if it is archived.
   */
  async update(
    projectId: string,
    ifMatch: string | undefined,
    request: ControlPlaneSchemas['UpdateProjectRequest'],
    { actor }: Change,
  ): Promise<VersionedProject> {
    const { store, now } = this.options;
    return versioned(await store.update(projectId, parseIfMatch(ifMatch), request, actor, now()));
  }

  /**
   * Archives a project with its environments; an archived one stays as it is. Throws `precondition_failed` and, unless
   * `cascade` is set, `record_in_use` if an environment has published content or active sessions, or
   * `service_unavailable` if sessions cannot be counted.
   */
  async archive(projectId: string, cascade: boolean, change: ConditionalChange): Promise<void> {
    const { archiving, publisher, now } = this.options;
    await archiving.archive(projectId, cascade, change, now());
    publisher.wake();
  }

  /**
   * Restores an archived project with its API clients and the environments that were archived with it; others stay as
   * they are. Throws `precondition_failed`, `plan_limit_reached`, or `conflict` if a license profile that one of its
   * environments needs is archived.
   */
  async restore(projectId: string, change: ConditionalChange): Promise<VersionedProject> {
    const { archiving, publisher, now } = this.options;
    const restored = await archiving.restore(projectId, change, now());
    publisher.wake();
    return versioned(restored);
  }
}

function versioned(record: ProjectRecord): VersionedProject {
  return { project: projectResponse(record), etag: etagOf(record.version) };
}
