import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { environmentResponse } from '../environments/environment-response';
import type { ProjectRecord, ProjectStore } from './project-store';

type ProjectResponse = ControlPlaneSchemas['ProjectResponse'];

interface ProjectOptions {
  store: ProjectStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Projects of an organization. */
export class ProjectService {
  constructor(private readonly options: ProjectOptions) {}

  /** Every project, oldest first. */
  async list(organizationId: string): Promise<ProjectResponse[]> {
    return (await this.options.store.list(organizationId)).map(projectResponse);
  }

  /** Makes a project with a development and a production environment. */
  async create(
    organizationId: string,
    { name, description }: ControlPlaneSchemas['CreateProjectRequest'],
  ): Promise<ProjectResponse> {
    const { store, publisher, now } = this.options;
    const { project, environments } = await store.create({
      organizationId,
      name,
      description: description ?? null,
      now: now(),
    });
    publisher.wake();
    return { ...projectResponse(project), environments: environments.map(environmentResponse) };
  }
}

function projectResponse(project: ProjectRecord): ProjectResponse {
  return {
    projectId: project.id,
    organizationId: project.organizationId,
    name: project.name,
    description: project.description,
    status: project.status,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}
