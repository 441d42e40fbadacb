import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { isUniqueViolation } from '../../database/unique-violation';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { contentResponse } from '../../responses/content-assets';
import {
  type ContentRecord,
  changeContentAsset,
  findContentId,
  insertContentAsset,
  insertContentKeys,
  lockContentAsset,
  readContentAsset,
} from '../../stores/content-assets';
import { type ContentQuery, readContentPage } from '../../stores/content-list';
import { readEnvironmentIdentity } from '../../stores/environments';
import { lockActive } from '../../stores/lock-row';
import { lockPlan } from '../../stores/organizations';
import type { Page } from '../../stores/page';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { sealContentKeys } from './content-keys';
import { requireValidContent } from './content-validation';
import { contentValues } from './content-values';
import { requireManifest } from './require-manifest';
import { requireRoomForContent } from './require-room-for-content';

type ContentAssetReply = RecordReply<ControlPlaneSchemas['ContentAssetResponse']>;

interface ContentOptions {
  database: Database;
  changes: Changes;
  secrets: Secrets;
  warnings: Pick<LicenseWarningService, 'forContent'>;
}

/** Protected content and live channels of an environment. */
export class ContentService {
  constructor(private readonly options: ContentOptions) {}

  /** A page, oldest first. Archived content is listed only if the query asks for that status. */
  async list(
    environmentId: string,
    query: ContentQuery,
    page: Page,
  ): Promise<ControlPlaneSchemas['PagedResponseOfContentAssetResponse']> {
    const { items, total } = await readContentPage(this.options.database, environmentId, query, page);
    return { items: items.map(contentResponse), total, ...page };
  }

  async read(contentAssetId: string): Promise<ContentAssetReply> {
    return recordReply(await readContentAsset(this.options.database, contentAssetId), contentResponse);
  }

  /**
   * Registers content as a draft. Throws `invalid_request`, `plan_limit_reached`, or `conflict` if the environment has
   * content with this contentId, archived or not.
   */
  async create(
    environmentId: string,
    request: ControlPlaneSchemas['CreateContentAssetRequest'],
    change: Change,
  ): Promise<ContentAssetReply> {
    const { database, changes, secrets } = this.options;
    const { contentId, kind, title, keys = [], audioLanguages = [], subtitleLanguages = [], ...rest } = request;
    const values = { ...contentValues({ ...rest, audioLanguages, subtitleLanguages }), contentId, kind, title };
    try {
      const made = await changes.createOnce(change, async (open) => {
        const { transaction, organizationId, now } = open;
        await requireUnarchived(transaction, 'environment', environmentId);
        await requireValidContent(transaction, await readEnvironmentIdentity(transaction, environmentId), request);
        await requireRoomForContent(transaction, await lockPlan(transaction, organizationId));
        const { id } = await insertContentAsset(transaction, { ...values, environmentId }, now);
        const created = await insertContentKeys(transaction, id, sealContentKeys(secrets, id, keys, []), now);
        await open.record('contentAsset', 'create', { after: created });
        return created;
      });
      return 'repeatedId' in made ? this.read(made.repeatedId) : recordReply(made.created, contentResponse);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw contentIdTaken(await findContentId(database, environmentId, contentId));
    }
  }

  /** Throws `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(
    contentAssetId: string,
    sent: ControlPlaneSchemas['UpdateContentAssetRequest'],
    change: ConditionalChange,
  ): Promise<ContentAssetReply> {
    const { changes, secrets } = this.options;
    const updated = await changes.run(change, async (open) => {
      const { transaction, now } = open;
      await requireParentUnarchived(transaction, 'environment', 'content_asset', contentAssetId);
      const before = await lockContentAsset(transaction, contentAssetId);
      requireChangeable(before, change.ifMatch, 'content asset');
      await requireValidContent(transaction, await readEnvironmentIdentity(transaction, before.environmentId), sent);
      if (before.status === 'published') requireManifest({ ...before, ...sent });
      const keys = sent.keys && sealContentKeys(secrets, before.id, sent.keys, before.keys);
      const values = { ...contentValues(sent), ...(keys === undefined ? {} : { keys }) };
      const after = await changeContentAsset(transaction, before.id, values, now);
      await open.record('contentAsset', 'update', { before, after, details: { fields: Object.keys(sent) } });
      return after;
    });
    return recordReply(updated, contentResponse);
  }

  /**
   * Publishes a draft; published content stays as it is. Throws `precondition_failed`, or `conflict` if no player could
   * play it.
   */
  async publish(
    contentAssetId: string,
    change: ConditionalChange,
  ): Promise<RecordReply<ControlPlaneSchemas['PublishedContentAssetResponse']>> {
    const published = await this.move(contentAssetId, 'publish', change);
    const warnings = await this.options.warnings.forContent(published);
    return recordReply(published, (asset) => ({ ...contentResponse(asset), warnings }));
  }

  /** Takes content out of playback; a draft stays as it is. Throws `precondition_failed`. */
  async unpublish(contentAssetId: string, change: ConditionalChange): Promise<ContentAssetReply> {
    return recordReply(await this.move(contentAssetId, 'unpublish', change), contentResponse);
  }

  /** Archives content; repeating it does nothing. The contentId stays taken. Throws `precondition_failed`. */
  async archive(contentAssetId: string, change: ConditionalChange): Promise<void> {
    await this.move(contentAssetId, 'archive', change);
  }

  /**
   * Restores archived content as a draft; other content stays as it is. Throws `precondition_failed`,
   * `plan_limit_reached`, or `conflict` if its environment or its license profile is archived.
   */
  async restore(contentAssetId: string, change: ConditionalChange): Promise<ContentAssetReply> {
    const restored = await this.options.changes.run(change, async (open) => {
      const { transaction, organizationId, now } = open;
      await requireParentUnarchived(transaction, 'environment', 'content_asset', contentAssetId, 'restore it first');
      const before = await lockContentAsset(transaction, contentAssetId);
      requireMatch(before, change.ifMatch, 'content asset');
      if (before.status !== 'archived') return before;
      const { projectId } = await readEnvironmentIdentity(transaction, before.environmentId);
      const { licenseProfileId: profileId } = before;
      if (profileId !== null && !(await lockActive(transaction, 'license_profile', projectId, profileId))) {
        throw new Problem('conflict', `The license profile ${profileId} is archived: restore it first.`);
      }
      await requireRoomForContent(transaction, await lockPlan(transaction, organizationId));
      const after = await changeContentAsset(transaction, before.id, { status: 'draft' }, now);
      await open.record('contentAsset', 'restore', { before, after });
      return after;
    });
    return recordReply(restored, contentResponse);
  }

  /** Gives content another status; content that has it stays as it is. */
  private async move(id: string, verb: keyof typeof statusAfter, change: ConditionalChange): Promise<ContentRecord> {
    const status = statusAfter[verb];
    return this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      // Archiving archived content is allowed and does nothing.
      if (verb !== 'archive') await requireParentUnarchived(transaction, 'environment', 'content_asset', id);
      const before = await lockContentAsset(transaction, id);
      if (verb === 'archive' && before.status === status) return before;
      requireChangeable(before, change.ifMatch, 'content asset');
      if (before.status === status) return before;
      if (status === 'published') requireManifest(before);
      const after = await changeContentAsset(transaction, before.id, { status }, now);
      await open.record('contentAsset', verb, { before, after });
      return after;
    });
  }
}

const statusAfter = { publish: 'published', unpublish: 'draft', archive: 'archived' } as const;

/** For archived content, which lists hide by default, the error also says how to restore it. */
function contentIdTaken(taken: { id: string; status: string } | null): Problem {
  if (taken?.status !== 'archived') {
    return new Problem('conflict', 'The environment already has content with this contentId.');
  }
  return new Problem(
    'conflict',
    `The archived content asset ${taken.id} has this contentId. ` +
      `Restore it with POST /api/v1/management/content/${taken.id}/restore.`,
  );
}
