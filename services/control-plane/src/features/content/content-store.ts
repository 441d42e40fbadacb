import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import { isUniqueViolation } from '../../database/unique-violation';
import type { ContentAsset, Prisma, PrismaClient } from '../../generated/prisma/client';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import { recordAudit } from '../../records/audit-store';
import type { Change, ConditionalChange } from '../../records/change';
import { runChange } from '../../records/change-store';
import { type CreatedOnce, createOnce } from '../../records/create-once-store';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import type { Page } from '../../records/page';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/unarchived-store';
import { lockActiveLicenseProfile } from '../license-profiles/active-license-profile-store';
import { requireRoomForContent } from './content-count-store';
import { type StoredContentKey, sealContentKeys } from './content-keys';
import { type ContentQuery, readContentPage } from './content-list-store';
import { contentResponse } from './content-response';
import { contentErrors } from './content-validation';
import { contentValues } from './content-values';
import { requireManifest } from './require-manifest';

/** A content asset with typed JSON columns. */
export type ContentRecord = Omit<ContentAsset, 'manifests' | 'keys'> & {
  manifests: ControlPlaneSchemas['Manifest'][];
  keys: StoredContentKey[];
};

type NewContent = ControlPlaneSchemas['CreateContentAssetRequest'];
type ContentUpdate = ControlPlaneSchemas['UpdateContentAssetRequest'];

const placeOfEnvironment = {
  kind: true,
  projectId: true,
  project: { select: { organizationId: true } },
} satisfies Prisma.EnvironmentSelect;

/** The properties of an environment that matter for its content; they never change. */
type Place = Prisma.EnvironmentGetPayload<{ select: typeof placeOfEnvironment }>;

// Safe: only create and update write these columns, and both take these types.
const typed = (asset: ContentAsset): ContentRecord => asset as unknown as ContentRecord;

/** Content assets. */
export class ContentStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly secrets: Secrets,
  ) {}

  /**
   * A page, oldest first, and the total, from the same snapshot. Archived content is listed only if the query asks for
   * that status.
   */
  async list(
    environmentId: string,
    query: ContentQuery,
    page: Page,
  ): Promise<{ items: ContentRecord[]; total: number }> {
    const { items, total } = await readContentPage(this.prisma, environmentId, query, page);
    return { items: items.map(typed), total };
  }

  async read(id: string): Promise<ContentRecord> {
    return typed(await this.prisma.contentAsset.findUniqueOrThrow({ where: { id } }));
  }

  /** Throws `invalid_request`, `plan_limit_reached`, or `conflict` if the environment has this contentId. */
  async create(
    environmentId: string,
    content: NewContent,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<ContentRecord>> {
    try {
      return await createOnce(this.prisma, change, now, async (transaction) => {
        await requireUnarchived(transaction, 'environment', environmentId);
        const place = await readPlace(transaction, environmentId);
        await requireValid(transaction, place, content);
        await requireRoomForContent(transaction, place.project.organizationId);
        const { contentId, kind, title, keys = [], audioLanguages = [], subtitleLanguages = [], ...rest } = content;
        const { id } = await transaction.contentAsset.create({
          data: {
            ...contentValues({ ...rest, audioLanguages, subtitleLanguages }),
            environmentId,
            contentId,
            kind,
            title,
            createdAt: now,
            updatedAt: now,
          },
        });
        // The content keys are encrypted for the id that the asset now has.
        const created = typed(
          await transaction.contentAsset.update({
            where: { id },
            data: { keys: sealContentKeys(this.secrets, id, keys, []), updatedAt: now },
          }),
        );
        await record(transaction, change, { after: created }, place, 'create', now);
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new Problem('conflict', await this.taken(environmentId, content.contentId));
    }
  }

  /** Throws `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(id: string, ifMatch: IfMatch, sent: ContentUpdate, change: Change, now: Date): Promise<ContentRecord> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'environment', 'content_asset', id);
      const present = await locked(transaction, id);
      requireChangeable(present, ifMatch, 'content asset');
      const place = await readPlace(transaction, present.environmentId);
      await requireValid(transaction, place, sent);
      if (present.status === 'published') requireManifest({ ...present, ...sent });
      const keys = sent.keys && sealContentKeys(this.secrets, present.id, sent.keys, present.keys);
      const updated = typed(
        await transaction.contentAsset.update({
          where: { id },
          data: {
            ...contentValues(sent),
            ...(keys === undefined ? {} : { keys }),
            version: { increment: 1 },
            updatedAt: now,
          },
        }),
      );
      const details = { fields: Object.keys(sent) };
      await record(transaction, change, { before: present, after: updated }, place, 'update', now, details);
      return updated;
    });
  }

  /** Publishes a draft; published content stays as it is. Throws as documented in the service. */
  async publish(id: string, change: ConditionalChange, now: Date): Promise<ContentRecord> {
    return this.move(id, 'publish', change, now);
  }

  /** Turns published content into a draft; a draft stays as it is. */
  async unpublish(id: string, change: ConditionalChange, now: Date): Promise<ContentRecord> {
    return this.move(id, 'unpublish', change, now);
  }

  /** Archives content; archived content stays as it is. */
  async archive(id: string, change: ConditionalChange, now: Date): Promise<ContentRecord> {
    return this.move(id, 'archive', change, now);
  }

  /** Turns archived content into a draft; other content stays as it is. Throws as documented in the service. */
  async restore(id: string, change: ConditionalChange, now: Date): Promise<ContentRecord> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'environment', 'content_asset', id, 'restore it first');
      const present = await locked(transaction, id);
      requireMatch(present, change.ifMatch, 'content asset');
      if (present.status !== 'archived') return present;
      const place = await readPlace(transaction, present.environmentId);
      const { licenseProfileId } = present;
      if (
        licenseProfileId !== null &&
        !(await lockActiveLicenseProfile(transaction, place.projectId, licenseProfileId))
      ) {
        throw new Problem('conflict', `The license profile ${licenseProfileId} is archived: restore it first.`);
      }
      await requireRoomForContent(transaction, place.project.organizationId);
      const restored = typed(
        await transaction.contentAsset.update({
          where: { id },
          data: { status: 'draft', version: { increment: 1 }, updatedAt: now },
        }),
      );
      await record(transaction, change, { before: present, after: restored }, place, 'restore', now);
      return restored;
    });
  }

  /**
   * Names the content that has this contentId. For archived content, which lists hide by default, it also says how to
   * restore it.
   */
  private async taken(environmentId: string, contentId: string): Promise<string> {
    const where = { environmentId_contentId: { environmentId, contentId } };
    const present = await this.prisma.contentAsset.findUnique({ where, select: { id: true, status: true } });
    if (present?.status !== 'archived') return 'The environment already has content with this contentId.';
    return (
      `The archived content asset ${present.id} has this contentId. ` +
      `Restore it with POST /api/v1/management/content/${present.id}/restore.`
    );
  }

  private async move(
    id: string,
    verb: keyof typeof statusAfter,
    change: ConditionalChange,
    now: Date,
  ): Promise<ContentRecord> {
    const status = statusAfter[verb];
    return runChange(this.prisma, change.actor, async (transaction) => {
      // Archiving archived content is allowed and does nothing.
      if (verb !== 'archive') await requireParentUnarchived(transaction, 'environment', 'content_asset', id);
      const present = await locked(transaction, id);
      if (verb === 'archive' && present.status === status) return present;
      requireChangeable(present, change.ifMatch, 'content asset');
      if (present.status === status) return present;
      if (status === 'published') requireManifest(present);
      const moved = typed(
        await transaction.contentAsset.update({
          where: { id },
          data: { status, version: { increment: 1 }, updatedAt: now },
        }),
      );
      const place = await readPlace(transaction, moved.environmentId);
      await record(transaction, change, { before: present, after: moved }, place, verb, now);
      return moved;
    });
  }
}

const statusAfter = { publish: 'published', unpublish: 'draft', archive: 'archived' } as const;

async function locked(transaction: Prisma.TransactionClient, id: string): Promise<ContentRecord> {
  await lockRow(transaction, 'content_asset', id);
  return typed(await transaction.contentAsset.findUniqueOrThrow({ where: { id } }));
}

async function readPlace(transaction: Prisma.TransactionClient, environmentId: string): Promise<Place> {
  return transaction.environment.findUniqueOrThrow({ where: { id: environmentId }, select: placeOfEnvironment });
}

async function requireValid(
  transaction: Prisma.TransactionClient,
  { kind, projectId }: Place,
  sent: ContentUpdate,
): Promise<void> {
  const errors = contentErrors(sent, kind);
  const { licenseProfileId } = sent;
  if (
    typeof licenseProfileId === 'string' &&
    !(await lockActiveLicenseProfile(transaction, projectId, licenseProfileId))
  ) {
    errors.licenseProfileId = ['must be an active license profile of the project'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

/** Adds an outbox entry for the asset and records the change in the audit trail. */
async function record(
  transaction: Prisma.TransactionClient,
  { actor }: Change,
  { before, after }: { before?: ContentRecord; after: ContentRecord },
  { project: { organizationId } }: Place,
  verb: 'create' | 'update' | 'restore' | keyof typeof statusAfter,
  now: Date,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  await addOutboxEntry(transaction, 'content', after.id);
  const entry = {
    organizationId,
    action: `contentAsset.${verb}`,
    recordType: 'contentAsset',
    recordId: after.id,
    details,
    before: before && contentResponse(before),
    after: contentResponse(after),
  };
  await recordAudit(transaction, actor, entry, now);
}
