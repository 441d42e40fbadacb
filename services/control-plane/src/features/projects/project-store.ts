import type { PrismaClient, Project } from '../../generated/prisma/client';
import { requireRoom } from '../../plans/require-room';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor, Change } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { recordAudit } from '../../records/record-audit';
import { requireChangeable } from '../../records/require-changeable';
import { requireUnarchived } from '../../records/require-unarchived';
import { runChange } from '../../records/run-change';
import { environmentResponse } from '../environments/environment-response';
import {
  type EnvironmentRecord,
  environmentEntry,
  environmentOrder,
  environmentWithDrmSystems,
  newEnvironment,
} from '../environments/environment-store';
import { projectResponse } from './project-response';

export type ProjectRecord = Project;
export type ProjectWithEnvironments = ProjectRecord & { environments: EnvironmentRecord[] };

/** The fields that can be changed; absent ones stay as they are. */
type ProjectChange = Partial<Pick<ProjectRecord, 'name' | 'description'>>;

/** Projects, and the environments that they are created with. */
export class ProjectStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(organizationId: string, status: 'active' | 'archived'): Promise<ProjectRecord[]> {
    return this.prisma.project.findMany({
      where: { organizationId, status },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
  }

  async read(id: string): Promise<ProjectRecord> {
    return this.prisma.project.findUniqueOrThrow({ where: { id } });
  }

  async readWithEnvironments(id: string): Promise<ProjectWithEnvironments> {
    return this.prisma.project.findUniqueOrThrow({
      where: { id },
      include: {
        environments: {
          where: { status: { not: 'archived' } },
          include: environmentWithDrmSystems,
          orderBy: environmentOrder,
        },
      },
    });
  }

  async create(
    request: { organizationId: string; name: string; description: string | null },
    { actor, claim }: Change,
    now: Date,
  ): Promise<CreatedOnce<ProjectWithEnvironments>> {
    return createOnce(this.prisma, { actor, claim }, now, async (transaction) => {
      const where = { organizationId: request.organizationId, status: { not: 'archived' } } as const;
      await requireRoom(transaction, request.organizationId, 'projects', () => transaction.project.count({ where }));
      await requireUnarchived(transaction, 'organization', request.organizationId);
      const project = await transaction.project.create({ data: { ...request, createdAt: now, updatedAt: now } });
      const entry = { ...projectEntry(project, 'create'), after: projectResponse(project) };
      await recordAudit(transaction, actor, entry, now);
      const environments: EnvironmentRecord[] = [];
      for (const kind of ['development', 'production'] as const) {
        const environment = await transaction.environment.create({
          data: newEnvironment(project.id, kind, now),
          include: environmentWithDrmSystems,
        });
        await addOutboxEntry(transaction, 'environment', environment.id);
        const made = environmentEntry(project.organizationId, environment.id, 'create');
        await recordAudit(transaction, actor, { ...made, after: environmentResponse(environment) }, now);
        environments.push(environment);
      }
      return { ...project, environments };
    });
  }

  /** Throws `conflict` if the project is archived, `precondition_failed` if it has none of the expected versions. */
  async update(id: string, ifMatch: IfMatch, change: ProjectChange, actor: Actor, now: Date): Promise<ProjectRecord> {
    return runChange(this.prisma, actor, async (transaction) => {
      await lockRow(transaction, 'project', id);
      const present = await transaction.project.findUniqueOrThrow({ where: { id } });
      requireChangeable(present, ifMatch, 'project');
      const updated = await transaction.project.update({
        where: { id },
        data: { ...change, version: { increment: 1 }, updatedAt: now },
      });
      const values = { before: projectResponse(present), after: projectResponse(updated) };
      const entry = { ...projectEntry(updated, 'update'), details: { fields: Object.keys(change) }, ...values };
      await recordAudit(transaction, actor, entry, now);
      return updated;
    });
  }
}

/** The audited values of a project. */
export function projectEntry({ id, organizationId }: ProjectRecord, verb: string) {
  return { organizationId, action: `project.${verb}`, recordType: 'project', recordId: id };
}
