import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, Redis, Result } from 'ioredis';

type Keys = [record: string, expiries: string, starts: string, details: string];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/reserve.lua. */
    reserveSlot(
      ...keysAndArguments: [
        ...keys: Keys,
        sessionId: string,
        reservationId: string,
        requestHash: string,
        limit: number | '',
        lifetimeMilliseconds: number,
        repeatWindowMilliseconds: number,
        retentionMilliseconds: number,
        details: string,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/release.lua. */
    releaseSlot(
      ...keysAndArguments: [...keys: Keys, sessionId: string, reservationId: string, retentionMilliseconds: number]
    ): Result<unknown, Context>;
    /** Runs scripts/undo.lua. */
    undoSlot(...keysAndArguments: [...keys: Keys, sessionId: string, reservationId: string]): Result<unknown, Context>;
  }
}

function script(verb: string): { numberOfKeys: number; lua: string } {
  return { numberOfKeys: 4, lua: readFileSync(join(__dirname, 'scripts', `${verb}.lua`), 'utf8') };
}

/** Gives the client the commands of the slot scripts. The client loads a script where the server lacks it. */
export function defineSlotCommands(client: Redis | Cluster): void {
  client.defineCommand('reserveSlot', script('reserve'));
  client.defineCommand('releaseSlot', script('release'));
  client.defineCommand('undoSlot', script('undo'));
}
