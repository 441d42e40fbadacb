import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import type { Page } from '../../records/page';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import type { ContentQuery } from './content-list-store';
import { contentResponse } from './content-response';
import type { ContentRecord, ContentStore } from './content-store';

/** A content asset and its ETag. */
interface VersionedContentAsset {
  contentAsset: ControlPlaneSchemas['ContentAssetResponse'];
  etag: string;
}

/** Published content and its license warnings. */
interface PublishedContentAsset extends VersionedContentAsset {
  contentAsset: ControlPlaneSchemas['PublishedContentAssetResponse'];
}

interface ContentOptions {
  store: ContentStore;
  warnings: Pick<LicenseWarningService, 'ofPublication'>;
  publisher: { wake(): void };
  now: () => Date;
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
    const { items, total } = await this.options.store.list(environmentId, query, page);
    return { items: items.map(contentResponse), total, ...page };
  }

  async read(contentAssetId: string): Promise<VersionedContentAsset> {
    return versioned(await this.options.store.read(contentAssetId));
  }

  /**
   * Registers content as a draft. Throws `invalid_request`, `plan_limit_reached`, or `conflict` if the environment has
   * content with this contentId, archived or not.
   */
  async create(
    environmentId: string,
    request: ControlPlaneSchemas['CreateContentAssetRequest'],
    change: Change,
  ): Promise<VersionedContentAsset> {
    const { store, publisher, now } = this.options;
    const made = await store.create(environmentId, request, change, now());
    if ('repeatedId' in made) return this.read(made.repeatedId);
    publisher.wake();
    return versioned(made.created);
  }

  /** Throws `precondition_required`, `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(
    contentAssetId: string,
    ifMatch: string | undefined,
    request: ControlPlaneSchemas['UpdateContentAssetRequest'],
    change: Change,
  ): Promise<VersionedContentAsset> {
    const { store, now } = this.options;
    return this.woken(await store.update(contentAssetId, parseIfMatch(ifMatch), request, change, now()));
  }

  /**
   * Publishes a draft; published content stays as it is. Throws `precondition_failed`, or `conflict` if no player could
   * play it.
   */
  async publish(contentAssetId: string, change: ConditionalChange): Promise<PublishedContentAsset> {
    const { store, warnings, now } = this.options;
    const published = await store.publish(contentAssetId, change, now());
    const { contentAsset, etag } = this.woken(published);
    return { contentAsset: { ...contentAsset, warnings: await warnings.ofPublication(published) }, etag };
  }

  /** Takes content out of playback; a draft stays as it is. Throws `precondition_failed`. */
  async unpublish(contentAssetId: string, change: ConditionalChange): Promise<VersionedContentAsset> {
    return this.woken(await this.options.store.unpublish(contentAssetId, change, this.options.now()));
  }

  /** Archives content; repeating it does nothing. The contentId stays taken. Throws `precondition_failed`. */
  async archive(contentAssetId: string, change: ConditionalChange): Promise<void> {
    this.woken(await this.options.store.archive(contentAssetId, change, this.options.now()));
  }

  /**
   * Restores archived content as a draft; other content stays as it is. Throws `precondition_failed`,
   * `plan_limit_reached`, or `conflict` if its environment or its license profile is archived.
   */
  async restore(contentAssetId: string, change: ConditionalChange): Promise<VersionedContentAsset> {
    return this.woken(await this.options.store.restore(contentAssetId, change, this.options.now()));
  }

  /** Wakes the publisher for a committed change. */
  private woken(record: ContentRecord): VersionedContentAsset {
    this.options.publisher.wake();
    return versioned(record);
  }
}

function versioned(record: ContentRecord): VersionedContentAsset {
  return { contentAsset: contentResponse(record), etag: etagOf(record.version) };
}
