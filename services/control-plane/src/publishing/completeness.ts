import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DeploymentDocument,
  deploymentDocument,
  projectDocument,
  publishedChangesChannel,
  publishedKeys,
} from '@multi-drm/contracts';
import { isRedisFull, isRedisUnavailable } from '@multi-drm/service-kit';
import type { Redis, Result } from 'ioredis';
import { RedisFull, RedisUnavailable } from './document-writer';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/replace-deployment.lua. */
    replaceDeployment(key: string, known: string, document: string, channel: string): Result<string, Context>;
  }
}

/**
 * What Redis says of its own completeness: one document for the deployment, one for each project that is complete. A
 * document of a project counts with the generation of the deployment alone, so what was said before Redis was emptied, or
 * arrives late, is void. All methods reject with `RedisUnavailable`, and those that write with `RedisFull`.
 */
export class Completeness {
  constructor(
    private readonly redis: Redis,
    private readonly newGeneration: () => string,
  ) {
    const lua = readFileSync(join(__dirname, 'scripts', 'replace-deployment.lua'), 'utf8');
    redis.defineCommand('replaceDeployment', { numberOfKeys: 1, lua });
  }

  /** The deployment's document; null where there is none. */
  async read(): Promise<DeploymentDocument | null> {
    return this.ask(async () => parsed(await this.redis.hget(publishedKeys.deployment, 'document')));
  }

  /** The deployment's document; where there is none, that of a new generation, of which nothing is complete. */
  async begin(): Promise<DeploymentDocument> {
    const known = await this.read();
    return known ?? this.replace(null, { generation: this.newGeneration(), published: 'nothing' });
  }

  /** Replaces the deployment's document where it is the known one still. Resolves to what is there then. */
  async replace(known: DeploymentDocument | null, document: DeploymentDocument): Promise<DeploymentDocument> {
    return this.ask(async () => {
      const texts = [known === null ? '' : JSON.stringify(known), JSON.stringify(document)] as const;
      const present = await this.redis.replaceDeployment(publishedKeys.deployment, ...texts, publishedChangesChannel);
      const there = parsed(present);
      if (there === null) throw new RedisUnavailable(new Error('Redis was emptied meanwhile'));
      return there;
    });
  }

  /** Says that projects are complete, of this generation. */
  async complete(projectIds: string[], generation: string): Promise<void> {
    await this.ask(() =>
      Promise.all(
        projectIds.flatMap((projectId) => {
          const key = publishedKeys.project(projectId);
          const document = JSON.stringify({ projectId, generation });
          return [this.redis.hset(key, { document }), this.redis.publish(publishedChangesChannel, key)];
        }),
      ),
    );
  }

  /** Those projects of which it is not said that they are complete. */
  async incompleteOf(projectIds: string[], generation: string): Promise<string[]> {
    const texts = await this.ask(() =>
      Promise.all(projectIds.map((projectId) => this.redis.hget(publishedKeys.project(projectId), 'document'))),
    );
    return projectIds.filter((_, index) => {
      const { success, data } = projectDocument.safeParse(fromJson(texts[index]));
      return !success || data.generation !== generation;
    });
  }

  /** Has an error of the connection say that Redis is out of reach or full. */
  private async ask<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    try {
      return await command();
    } catch (error) {
      if (isRedisFull(error)) throw new RedisFull();
      throw isRedisUnavailable(error) ? new RedisUnavailable(error) : error;
    }
  }
}

function parsed(text: string | null): DeploymentDocument | null {
  return text === null || text === '' ? null : deploymentDocument.parse(JSON.parse(text));
}

function fromJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null; // nobody's: it is written anew
  }
}
