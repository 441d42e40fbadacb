import type { PublishedDeployment } from '@multi-drm/contracts';
import { HashKeySeal } from '@multi-drm/service-kit';
import type { DocumentKind } from '../generated/prisma/client';
import type { Completeness } from './completeness';
import {
  noId,
  projectIdsAfter,
  projectsOfEndUsers,
  projectsWaiting,
  type SizedProject,
  sizesOf,
} from './project-records';
import type { PublicationMark } from './publication-mark';
import { type PublishedPages, publishedPagesOf } from './published-pages';
import { takeRevision } from './revisions';
import { type RewriteRecordsOptions, rewriteRecords } from './rewrite-records';
import { sealHashKey } from './seal-hash-key';
import { readSubjectHashKey } from './subject-hash-key';

export interface RefillOptions extends RewriteRecordsOptions {
  completeness: Completeness;
  mark: Pick<PublicationMark, 'connected' | 'raise'>;
  /** Seals the key of the viewers' buckets in the database; absent: it stays in the clear. */
  hashKeySeal?: HashKeySeal | undefined;
  /** Publishes what is not read from the database, before anything of a new generation. Never rejects. */
  onNewGeneration?: (() => Promise<void>) | undefined;
  /** For pauses. */
  now: () => Date;
  /** Records written at a time. */
  pageSize?: number;
  /** Records that a group of projects writes before it is the next group's turn. */
  turn?: number;
}

/**
 * The documents that other ids are looked up by come first: once those of all projects are there, a missing id does not
 * exist.
 */
const listing: readonly DocumentKind[] = ['organization', 'environment', 'apiClient'];
const kinds: readonly DocumentKind[] = [...listing, 'licenseProfile', 'content', 'endUser'];

/** Projects that are refilled together: many small ones, or one large one. */
interface Group {
  projectIds: string[];
  /** Size of the largest of them. */
  size: number;
  /** The records that are still to be written. */
  pages: PublishedPages;
  /** Whether all of the kinds of `listing` are written. */
  isListed: boolean;
  /** Projects that cannot be completed at the moment. */
  incomplete: Set<string>;
}

const projectsAtOnce = 1_000;
const projectsOfGroup = 50;
/** Milliseconds until a project that cannot be completed is retried. */
const retryMilliseconds = 10_000;

/**
 * Refills an emptied Redis project by project: the smallest first, taking turns, so that none waits for the many
 * records of another. A project is complete once each of its records that was ever published has been written. Redis
 * then holds a completeness mark (`Completeness`), without which playback refuses nobody. Also finds single projects
 * without a mark. Any number of instances may run at the same time.
 */
export class Refill {
  private generation: string | undefined;
  private groups: Group[] = [];
  /** Whether the key of the viewers' buckets was sealed with the `SECRET_KEYS` of this process. */
  private isSealed = false;
  /** Where the search for incomplete projects continues. */
  private afterProject = noId;
  private nextSearch = 0;
  /** When projects that could not be completed are retried, by id; milliseconds since 1970. */
  private readonly retryAt = new Map<string, number>();

  constructor(private readonly options: RefillOptions) {}

  /** Reports that anything may be lost: checks all projects, from the next step on. */
  suspectAll(): void {
    this.generation = undefined;
  }

  /**
   * Runs one step: looks for incomplete projects, once a second, and gives the next group its turn. Resolves to whether
   * the next step should follow at once. Rejects with `RedisUnavailable`, and if the database is unavailable.
   */
  async next(): Promise<boolean> {
    const { prisma, completeness } = this.options;
    if (!this.isSealed) await sealHashKey(prisma, this.options.hashKeySeal ?? new HashKeySeal([]));
    this.isSealed = true;
    const deployment = await completeness.begin(await readSubjectHashKey(prisma), this.prepareGeneration);
    if (deployment.generation !== this.generation) {
      this.groups = [];
      for (this.afterProject = noId; await this.search(deployment.generation); );
      this.generation = deployment.generation;
    } else if (this.options.now().getTime() >= this.nextSearch) {
      await this.search(deployment.generation);
    }
    const group = this.groups.shift();
    const refilled = group !== undefined && (await this.takeTurn(group, deployment.generation));
    await this.recordProgress(deployment, refilled);
    return this.groups.length > 0;
  }

  /** No project of a new generation is complete, so nothing that was published before it is missing in one that is. */
  private readonly prepareGeneration = async (): Promise<void> => {
    const { prisma, mark, onNewGeneration } = this.options;
    await onNewGeneration?.();
    const connection = await mark.connected();
    await mark.raise(await takeRevision(prisma), 0n, connection);
  };

  /** Checks a page of all projects; resolves to whether there are more. */
  private async search(generation: string): Promise<boolean> {
    const { prisma, completeness, now } = this.options;
    const time = now().getTime();
    this.nextSearch = time + 1_000;
    const page = await projectIdsAfter(prisma, this.afterProject, projectsAtOnce);
    const known = new Set(this.groups.flatMap(({ projectIds }) => projectIds));
    const found = (await completeness.incompleteOf(page, generation)).filter(
      (id) => !known.has(id) && (this.retryAt.get(id) ?? 0) <= time,
    );
    if (found.length > 0) this.add(await sizesOf(prisma, found));
    const last = page.length < projectsAtOnce ? undefined : page.at(-1);
    this.afterProject = last ?? noId;
    return last !== undefined;
  }

  private add(projects: SizedProject[]): void {
    const { pageSize = 500 } = this.options;
    let group: Group | undefined;
    let records = 0;
    for (const { id, size } of projects.toSorted((a, b) => a.size - b.size)) {
      if (group === undefined || group.projectIds.length === projectsOfGroup || records + size > pageSize) {
        group = this.newGroup();
        this.groups.push(group);
        records = 0;
      }
      group.projectIds.push(id);
      group.size = size;
      records += size;
    }
    // Groups that already had a turn keep their position among equals.
    this.groups.sort((a, b) => a.size - b.size);
  }

  /** Projects may be added until the first page is read. */
  private newGroup(projectIds: string[] = [], size = 0): Group {
    const { prisma, pageSize = 500 } = this.options;
    const pages = publishedPagesOf(prisma, kinds, projectIds, pageSize);
    return { projectIds, size, pages, isListed: false, incomplete: new Set() };
  }

  /** Writes a part of the group, which then waits for its next turn; resolves to whether all of it is written. */
  private async takeTurn(group: Group, generation: string): Promise<boolean> {
    try {
      const refilled = await this.writePages(group, generation);
      if (!refilled) this.groups.push(group);
      return refilled;
    } catch (error) {
      this.groups.push(this.newGroup(group.projectIds, group.size)); // a page of it was not written
      throw error;
    }
  }

  private async writePages(group: Group, generation: string): Promise<boolean> {
    const { prisma, turn = 2_000 } = this.options;
    for (let records = 0; records < turn; ) {
      const { value: page } = await group.pages.next();
      group.isListed = page === undefined || !listing.includes(page.kind);
      if (page === undefined) {
        await this.complete(group, generation);
        return true;
      }
      const failed = await rewriteRecords(this.options, page, { documents: true, tombstones: false });
      // A blocked viewer whose document cannot be published must not be able to play; other missing documents only
      // cause refusals.
      if (page.kind === 'endUser' && failed.length > 0) {
        for (const id of await projectsOfEndUsers(prisma, failed)) group.incomplete.add(id);
      }
      records += page.records.length;
    }
    return false;
  }

  private async complete(group: Group, generation: string): Promise<void> {
    const { prisma, completeness, now } = this.options;
    const waiting = new Set(await projectsWaiting(prisma, group.projectIds));
    for (const id of group.incomplete) this.retryAt.set(id, now().getTime() + retryMilliseconds);
    const complete = group.projectIds.filter((id) => !waiting.has(id) && !group.incomplete.has(id));
    for (const id of complete) this.retryAt.delete(id);
    await completeness.complete(complete, generation);
  }

  /** Records the overall progress. */
  private async recordProgress(deployment: PublishedDeployment, someComplete: boolean): Promise<void> {
    const listed = this.groups.every(({ isListed }) => isListed);
    const published = listed ? 'all' : someComplete ? 'some' : deployment.published;
    if (deployment.published === 'all' || published === deployment.published) return;
    await this.options.completeness.replace(deployment, { ...deployment, published });
  }
}
