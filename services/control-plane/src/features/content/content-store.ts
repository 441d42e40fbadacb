import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { isUniqueViolation } from '../../database/unique-violation';
import type { ContentAsset, EnvironmentKind, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import type { Page } from './page';

/** A content asset whose JSON columns are typed. */
export type ContentRecord = Omit<ContentAsset, 'manifests' | 'keys'> & {
  manifests: ControlPlaneSchemas['Manifest'][];
  keys: ControlPlaneSchemas['ContentKey'][];
};

type NewContent = Omit<ContentRecord, 'id' | 'status' | 'createdAt' | 'updatedAt'>;

// Safe: `create`, which takes these types, is the only writer of these columns.
const typed = (asset: ContentAsset): ContentRecord => asset as unknown as ContentRecord;

/** Content assets. */
export class ContentStore {
  constructor(private readonly prisma: PrismaClient) {}

  async environmentKind(environmentId: string): Promise<EnvironmentKind> {
    const { kind } = await this.prisma.environment.findUniqueOrThrow({
      where: { id: environmentId },
      select: { kind: true },
    });
    return kind;
  }

  /** A page, oldest first, and the number of all: of one moment. */
  async list(environmentId: string, { limit, offset }: Page): Promise<{ items: ContentRecord[]; total: number }> {
    const where = { environmentId };
    const [assets, total] = await this.prisma.$transaction(
      [
        this.prisma.contentAsset.findMany({
          where,
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
          take: limit,
          skip: offset,
        }),
        this.prisma.contentAsset.count({ where }),
      ],
      { isolationLevel: 'RepeatableRead' },
    );
    return { items: assets.map(typed), total };
  }

  /** Null where the environment has content with that contentId already. */
  async create(content: NewContent, now: Date): Promise<ContentRecord | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const asset = await transaction.contentAsset.create({ data: { ...content, createdAt: now, updatedAt: now } });
        await markChanged(transaction, 'content', asset.id);
        return typed(asset);
      });
    } catch (error) {
      if (isUniqueViolation(error)) return null;
      throw error;
    }
  }

  async read(id: string): Promise<ContentRecord> {
    return typed(await this.prisma.contentAsset.findUniqueOrThrow({ where: { id } }));
  }

  /** Publishes a draft; what is published already stays as it is. */
  async publish(id: string, now: Date): Promise<ContentRecord> {
    return this.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.contentAsset.updateMany({
        where: { id, status: 'draft' },
        data: { status: 'published', updatedAt: now },
      });
      if (count > 0) await markChanged(transaction, 'content', id);
      return typed(await transaction.contentAsset.findUniqueOrThrow({ where: { id } }));
    });
  }
}
