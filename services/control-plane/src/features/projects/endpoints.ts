import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { FeatureOptions } from '../feature-options';
import { archiveProject } from './archive-project';
import { createProject } from './create-project';
import { getProject } from './get-project';
import { listProjects } from './list-projects';
import { ProjectArchivingStore } from './project-archiving-store';
import { ProjectService } from './project-service';
import { ProjectStore } from './project-store';
import { restoreProject } from './restore-project';
import { updateProject } from './update-project';

interface ProjectEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on projects, with their service and stores. */
export function projectEndpoints({ prisma, activeSessions, publisher, now }: ProjectEndpointsOptions) {
  const projects = new ProjectService({
    store: new ProjectStore(prisma),
    archiving: new ProjectArchivingStore(prisma, activeSessions),
    publisher,
    now,
  });
  return [
    listProjects(projects),
    createProject(projects),
    getProject(projects),
    updateProject(projects),
    archiveProject(projects),
    restoreProject(projects),
  ];
}
