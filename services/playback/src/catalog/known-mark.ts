import { publishedKeys } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';

/**
 * The highest publication mark that this process knows. Each publication raises the mark in Redis, so a Redis with a lower one has lost
 * publications: it was started from an older copy of its data, or it is a replica without the latest writes. Its documents must not be used
 * until the control plane has written the lost publications again and raised the mark.
 */
export class KnownMark {
  private highest = 0;
  private isBehind = false;

  constructor(
    private readonly client: Redis | Cluster,
    private readonly logger?: Logger,
  ) {}

  /** Notes an announced mark. Returns whether Redis was behind and may have caught up. */
  note(announced: string): boolean {
    this.highest = Math.max(this.highest, markOf(announced));
    return this.isBehind;
  }

  /** Reads the deployment's document with its mark, in one command. Null if there is none, or if Redis is behind. */
  async readDeployment(): Promise<string | null> {
    // A mark that is announced during this read may be higher than the one in the reply.
    const known = this.highest;
    const [document = null, mark] = await this.client.hmget(publishedKeys.deployment, 'document', 'mark');
    const current = markOf(mark);
    this.highest = Math.max(this.highest, current);
    this.noteBehind(document !== null && current < known, { mark: current, known });
    return this.isBehind ? null : document;
  }

  private noteBehind(isBehind: boolean, marks: Record<string, number>): void {
    if (isBehind && !this.isBehind) {
      this.logger?.warn(
        'Redis has lost publications: nothing is served until the control plane has written them again',
        marks,
      );
    }
    if (!isBehind && this.isBehind) this.logger?.info('Redis has the lost publications again', marks);
    this.isBehind = isBehind;
  }
}

/** Returns 0 for text that is not a mark. */
function markOf(text: string | null | undefined): number {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
}
