import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { FeatureOptions } from '../feature-options';
import { archiveProject } from './archive-project';
import { createProject } from './create-project';
import { getProject } from './get-project';
import { listProjects } from './list-projects';
import { ProjectService } from './project-service';
import { restoreProject } from './restore-project';
import { updateProject } from './update-project';

interface ProjectEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on projects, with their service. */
export function projectEndpoints(options: ProjectEndpointsOptions) {
  const projects = new ProjectService(options);
  return [
    listProjects(projects, options.database),
    createProject(projects),
    getProject(projects),
    updateProject(projects),
    archiveProject(projects),
    restoreProject(projects),
  ];
}
