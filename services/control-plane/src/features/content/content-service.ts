import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { canonicalLanguages } from './canonical-languages';
import { contentFaults } from './content-faults';
import { contentResponse } from './content-response';
import type { ContentRecord, ContentStore } from './content-store';
import type { Page } from './page';

type ContentAssetResponse = ControlPlaneSchemas['ContentAssetResponse'];

interface ContentOptions {
  store: ContentStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Protected content and live channels of an environment. */
export class ContentService {
  constructor(private readonly options: ContentOptions) {}

  async list(environmentId: string, page: Page): Promise<ControlPlaneSchemas['PagedResponseOfContentAssetResponse']> {
    const { items, total } = await this.options.store.list(environmentId, page);
    return { items: items.map(contentResponse), total, ...page };
  }

  /** Registers content as a draft. Throws `invalid_request`, or `conflict` where the environment has the contentId. */
  async create(
    environmentId: string,
    content: ControlPlaneSchemas['CreateContentAssetRequest'],
  ): Promise<ContentAssetResponse> {
    const { store, publisher, now } = this.options;
    const faults = contentFaults(content, await store.environmentKind(environmentId));
    if (Object.keys(faults).length > 0) throw invalidRequest(faults);
    const created = await store.create(
      {
        environmentId,
        contentId: content.contentId,
        kind: content.kind,
        title: content.title,
        manifests: content.manifests ?? [],
        keys: (content.keys ?? []).map(({ keyId, trackTypes }) => ({ keyId: keyId.toLowerCase(), trackTypes })),
        audioLanguages: canonicalLanguages(content.audioLanguages ?? []),
        subtitleLanguages: canonicalLanguages(content.subtitleLanguages ?? []),
      },
      now(),
    );
    if (created === null) throw new Problem('conflict', 'The environment has content with this contentId already.');
    publisher.wake();
    return contentResponse(created);
  }

  /** Makes a draft playable; what is published already stays as it is. Throws `conflict` where no player could play it. */
  async publish(contentAssetId: string): Promise<ContentAssetResponse> {
    const { store, publisher, now } = this.options;
    requireManifest(await store.read(contentAssetId));
    const published = await store.publish(contentAssetId, now());
    publisher.wake();
    return contentResponse(published);
  }
}

function requireManifest({ kind, manifests }: ContentRecord): void {
  if ((kind !== 'vod' && kind !== 'live') || manifests.length > 0) return;
  throw new Problem('conflict', `Content of kind ${kind} needs a manifest before it can be published.`);
}
