import { join } from 'node:path';
import type { Cluster, Redis, Result } from 'ioredis';
import { type SlotKeys, slotKeys } from './keys';
import { loadScript } from './load-script';
import type { Verb } from './return-codes';
import type { SessionReference } from './slot-store';

/** The keys that each script declares, in order. */
export const scriptKeys = {
  reserve: ['record', 'expiries', 'starts', 'details', 'active', 'endUser', 'replacedRecord', 'ended'],
  find: ['record', 'expiries'],
  list: ['expiries', 'starts', 'details'],
  renew: ['record', 'expiries', 'starts', 'details', 'active', 'endUser'],
  'count-license-request': ['record', 'expiries', 'endUser'],
  release: ['record', 'expiries', 'starts', 'details', 'active'],
  remember: ['record', 'ended'],
  undo: ['record', 'expiries', 'starts', 'details', 'active'],
  'note-undone': ['record', 'ended'],
} as const satisfies Record<Verb, readonly (keyof SlotKeys | 'replacedRecord')[]>;

type StringFor<Names extends readonly string[]> = { -readonly [I in keyof Names]: string };
type KeysOf<V extends Verb> = StringFor<(typeof scriptKeys)[V]>;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/reserve.lua. */
    reserveSlot(
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
        replacesSessionId: string,
        lifetimeMilliseconds: number,
        repeatWindowMilliseconds: number,
        retentionMilliseconds: number,
        details: string,
        grant: string,
        endedSpanMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/find.lua. */
    findSlot(...keysAndArguments: [...keys: KeysOf<'find'>, sessionId: string]): Result<unknown, Context>;
    /** Runs scripts/list.lua. */
    listSlots(
      ...keysAndArguments: [...keys: KeysOf<'list'>, after: number | '', most: number]
    ): Result<unknown, Context>;
    /** Runs scripts/renew.lua. */
    renewSlot(
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
    countLicenseRequestOfSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'count-license-request'>,
        sessionId: string,
        reservationId: string,
        callsPerMinute: number | '',
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
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/remember.lua. */
    rememberEndedSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'remember'>,
        sessionId: string,
        subject: string,
        until: number | '',
        spanMilliseconds: number,
      ]
    ): Result<unknown, Context>;
    /** Runs scripts/undo.lua. */
    undoSlot(
      ...keysAndArguments: [...keys: KeysOf<'undo'>, sessionId: string, subject: string, reservationId: string]
    ): Result<unknown, Context>;
    /** Runs scripts/note-undone.lua. */
    noteUndoneSlot(
      ...keysAndArguments: [
        ...keys: KeysOf<'note-undone'>,
        sessionId: string,
        subject: string,
        reservationId: string,
        spanMilliseconds: number,
      ]
    ): Result<unknown, Context>;
  }
}

function script(verb: Verb): { numberOfKeys: number; lua: string } {
  return { numberOfKeys: scriptKeys[verb].length, lua: loadScript(join(__dirname, 'scripts'), verb) };
}

/** Defines the commands of the slot scripts on the client, which loads a script if the server does not have it. */
export function defineSlotCommands(client: Redis | Cluster): void {
  client.defineCommand('reserveSlot', script('reserve'));
  client.defineCommand('findSlot', script('find'));
  client.defineCommand('listSlots', script('list'));
  client.defineCommand('renewSlot', script('renew'));
  client.defineCommand('countLicenseRequestOfSlot', script('count-license-request'));
  client.defineCommand('releaseSlot', script('release'));
  client.defineCommand('rememberEndedSlot', script('remember'));
  client.defineCommand('undoSlot', script('undo'));
  client.defineCommand('noteUndoneSlot', script('note-undone'));
}

/**
 * Returns the keys of a session that a script declares, in order.
 *
 * @param replacedId the session of the same subject that is to be replaced
 */
export function keysFor<V extends Verb>(verb: V, session: SessionReference, replacedId = session.sessionId): KeysOf<V> {
  const { environmentId, subject, sessionId } = session;
  const keys = {
    ...slotKeys(environmentId, subject, sessionId),
    replacedRecord: slotKeys(environmentId, subject, replacedId).record,
  };
  return scriptKeys[verb].map((name) => keys[name]) as KeysOf<V>;
}
