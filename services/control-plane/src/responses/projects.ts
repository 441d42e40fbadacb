import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ProjectRecord } from '../stores/projects';

/** The API representation of a project, without its environments. */
export function projectResponse(project: ProjectRecord): ControlPlaneSchemas['ProjectResponse'] {
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
