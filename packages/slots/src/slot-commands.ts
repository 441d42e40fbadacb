import { join } from 'node:path';
import type { SubjectBuckets } from '@multi-drm/contracts';
import type { Cluster, Redis, Result } from 'ioredis';
import { type SlotKeys, slotKeys } from './keys';
import { loadScript } from './load-script';
import type { Verb } from './return-codes';
import type { SessionReference } from './slot-store';

/** The keys that each script declares, in order. */
export const scriptKeys = {
  reserve: ['slots', 'active', 'ended', 'endUser', 'expiring', 'events', 'droppedEvents'],
  restore: ['slots', 'active', 'ended', 'endUser', 'expiring', 'events', 'droppedEvents'],
  find: ['slots', 'ended'],
  list: ['slots'],
  renew: ['slots', 'active', 'ended', 'endUser'],
  'count-license-request': ['slots', 'ended', 'endUser'],
  release: ['slots', 'active', 'ended', 'events', 'droppedEvents'],
  remember: ['slots', 'ended'],
  undo: ['slots', 'active', 'ended', 'events', 'droppedEvents'],
  'note-undone': ['slots', 'ended'],
  // Then two keys of each session: slots and ended.
  sweep: ['active', 'expiring', 'events', 'droppedEvents'],
} as const satisfies Record<Verb, readonly (keyof SlotKeys)[]>;

type StringFor<Names extends readonly string[]> = { -readonly [I in keyof Names]: string };
type KeysOf<V extends Verb> = StringFor<(typeof scriptKeys)[V]>;

// Commands whose name ends in Buffer reply with bytes in place of strings: ioredis defines one for each command.
declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/reserve.lua. */
    reserveSlotBuffer(
      ...keysAndArguments: [
        ...keys: KeysOf<'reserve'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        requestHash: string,
        limit: number | '',
        limitCeiling: number | '',
        atStreamLimit: string,
        organizationIsFull: 0 | 1,
        replaced: string,
        lifetimeMilliseconds: number,
        repeatWindowMilliseconds: number,
        retentionMilliseconds: number,
        endedSpanMilliseconds: number,
        details: Buffer,
        grant: Buffer,
        environmentId: string,
        startsAreUsedUp: 0 | 1,
        eventBytes: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/restore.lua. */
    restoreSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'restore'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        startedAtMicroseconds: number,
        expiresAt: number,
        limit: number | '',
        organizationIsFull: 0 | 1,
        details: Buffer,
        grant: Buffer,
        environmentId: string,
        lifetimeMilliseconds: number,
        eventBytes: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/find.lua. */
    findSlotBuffer(
      ...keysAndArguments: [...keys: KeysOf<'find'>, sessionId: string, retentionMilliseconds: number]
    ): Result<unknown, Context>;
    /** Runs scripts/list.lua. */
    listSlotsBuffer(
      ...keysAndArguments: [...keys: KeysOf<'list'>, after: number | '', most: number]
    ): Result<unknown, Context>;
    /** Runs scripts/renew.lua. */
    renewSlotBuffer(
      ...keysAndArguments: [
        ...keys: KeysOf<'renew'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        lifetimeMilliseconds: number,
        maximumSessionMilliseconds: number,
        callsPerMinute: number | '',
        retentionMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/count-license-request.lua. */
    countLicenseRequestOfSlotBuffer(
      ...keysAndArguments: [
        ...keys: KeysOf<'count-license-request'>,
        sessionId: string,
        reservationId: string,
        callsPerMinute: number | '',
        retentionMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/release.lua. */
    releaseSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'release'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        state: string,
        retentionMilliseconds: number,
        environmentId: string,
        eventBytes: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/remember.lua. */
    rememberEndedSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'remember'>,
        sessionId: string,
        until: number | '',
        spanMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/undo.lua. */
    undoSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'undo'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        environmentId: string,
        eventBytes: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/note-undone.lua. */
    noteUndoneSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'note-undone'>,
        sessionId: string,
        reservationId: string,
        spanMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/sweep.lua. */
    sweepSlots(numberOfKeys: number, ...keysAndArguments: (string | number)[]): Result<unknown, Context>;
  }
}

function script(verb: Verb): { numberOfKeys: number; lua: string } {
  return { numberOfKeys: scriptKeys[verb].length, lua: loadScript(join(__dirname, 'scripts'), verb) };
}

/** Defines the commands of the slot scripts on the client, which loads a script if the server does not have it. */
export function defineSlotCommands(client: Redis | Cluster): void {
  client.defineCommand('reserveSlot', script('reserve'));
  client.defineCommand('restoreSlot', script('restore'));
  client.defineCommand('findSlot', script('find'));
  client.defineCommand('listSlots', script('list'));
  client.defineCommand('renewSlot', script('renew'));
  client.defineCommand('countLicenseRequestOfSlot', script('count-license-request'));
  client.defineCommand('releaseSlot', script('release'));
  client.defineCommand('rememberEndedSlot', script('remember'));
  client.defineCommand('undoSlot', script('undo'));
  client.defineCommand('noteUndoneSlot', script('note-undone'));
}

/** Defines the command of the sweep script, whose number of keys depends on the number of sessions. */
export function defineSweepCommand(client: Redis | Cluster): void {
  client.defineCommand('sweepSlots', { lua: script('sweep').lua });
}

/** Returns the keys that a script declares, in order. Throws a RangeError for a session id with a colon, which separates it from a subject. */
export function keysFor<V extends Verb>(
  verb: V,
  buckets: SubjectBuckets,
  { environmentId, subject, sessionId }: SessionReference,
): KeysOf<V> {
  if (sessionId.includes(':')) throw new RangeError('a session id must not contain a colon');
  const keys = slotKeys(buckets, environmentId, subject);
  return scriptKeys[verb].map((name) => keys[name]) as KeysOf<V>;
}
