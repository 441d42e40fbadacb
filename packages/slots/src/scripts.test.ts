import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadScript } from './load-script';
import { returnCodes, UnexpectedReply, type Verb } from './return-codes';
import { scriptKeys } from './slot-commands';
import type { ReserveRequest, SlotStore } from './slot-store';
import {
  another,
  connect,
  ended,
  expectOutcome,
  flushScripts,
  newRequest,
  redisKinds,
  storeOn,
  type TestClient,
} from './testing/test-store';

const folder = join(__dirname, 'scripts');

const verbs = Object.keys(returnCodes) as Verb[];

describe.each(verbs)('the script "%s"', (verb) => {
  const meanings = returnCodes[verb];
  const text = loadScript(folder, verb);
  const [head = '', body = ''] = text.split('\n]]\n');
  const section = (name: string) => head.split(`\n${name}\n`)[1]?.split('\n\n')[0] ?? '';
  const numbered = (name: string) =>
    [...section(name).matchAll(/^ {2}(\d+) (\w+)/gm)].map(([, number, word]) => [Number(number), word]);
  const used = (pattern: RegExp) =>
    [...new Set([...body.matchAll(pattern)].map(([, number]) => Number(number)))].sort((a, b) => a - b);

  it('starts with the line that tells Redis how to run it', () => {
    expect(text).toMatch(/^#!lua( flags=[a-z-]+)?\n/);
  });

  it('lists every return code in its header, with the meaning that the store gives it', () => {
    expect(numbered('Returns')).toEqual(meanings.map((meaning, code) => [code, meaning]));
  });

  it('returns exactly the codes in its header', () => {
    expect(used(/(?:return \{? ?|reply = \{ )(\d+)/g)).toEqual(meanings.map((_, code) => code));
  });

  it('lists the keys in its header in the order in which the store passes them', () => {
    expect(numbered('KEYS')).toEqual(scriptKeys[verb].map((name, i) => [i + 1, name]));
  });

  it('uses exactly the keys in its header', () => {
    expect(used(/KEYS\[(\d+)\]/g)).toEqual(scriptKeys[verb].map((_, i) => i + 1));
  });

  it('uses exactly the arguments in its header', () => {
    expect(used(/ARGV\[(\d+)\]/g)).toEqual(numbered('ARGV').map(([number]) => number));
  });
});

describe('the slot scripts', () => {
  const clients: TestClient[] = [];
  const open = (...options: Parameters<typeof connect>) => {
    const client = connect(...options);
    clients.push(client);
    return client;
  };
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.quit())));

  it('have one file for each verb of the store', () => {
    const files = readdirSync(folder).filter((name) => name !== 'parts');
    expect(files.sort()).toEqual(verbs.map((verb) => `${verb}.lua`).sort());
  });

  it('use every part', () => {
    const parts = readdirSync(join(folder, 'parts'));
    const files = [...verbs.map((verb) => `${verb}.lua`), ...parts.map((part) => join('parts', part))];
    const included = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/^--#include .+$/gm) ?? []);
    expect([...new Set(included)].sort()).toEqual(parts.map((part) => `--#include ${part.replace('.lua', '')}`).sort());
  });

  it.each(redisKinds)('are reloaded after %s has lost them', async (kind) => {
    const client = open(kind);
    const store = storeOn(client);
    const first = newRequest({ limit: 1 });
    const second = another(first);
    expectOutcome(await store.reserve(first), 'reserved');
    await flushScripts(client);
    const parallel = await Promise.all(Array.from({ length: 20 }, () => store.reserve(another(first))));
    expect(new Set(parallel.map(({ outcome }) => outcome))).toEqual(new Set(['limit_reached']));
    await flushScripts(client);
    expect(await store.release(ended(first))).toBe('released');
    await flushScripts(client);
    expectOutcome(await store.reserve(second), 'reserved');
    await flushScripts(client);
    await store.undo(second);
    expectOutcome(await store.reserve(another(first)), 'reserved');
  });

  it.each([
    ['an unknown code', 'return {8}'],
    ['a missing value', "return {0, 'id', 1, {}}"],
    ['a value of another type', "return {0, 'id', 'soon', 1, 1, '', {}}"],
    ['an invalid limit', "return {0, 'id', 1, 1, 1, 'many', {}}"],
    ['no list of the ended sessions', "return {0, 'id', 1, 1, 1, ''}"],
    ['no list of the evicted sessions', 'return {6}'],
    ['details that are not packed', "return {2, '1', {'id', 1, 1, 'details'}}"],
    ['no limit although it is reached', 'return {2}'],
    ['no reason although the id was used', 'return {5}'],
    ['a bare number', 'return 0'],
    ['nothing', 'return false'],
  ])('cause an error if a reservation returns %s', async (_, lua) => {
    const client = open();
    const store = storeOn(client);
    client.defineCommand('reserveSlot', { numberOfKeys: scriptKeys.reserve.length, lua });
    await expect(store.reserve(newRequest())).rejects.toThrow(UnexpectedReply);
  });

  const limits = { callsPerMinute: null, maximumSessionMilliseconds: 1 };
  // A call of every other verb of the store, and a reply that its script never returns. The compiler requires each.
  const calls: Record<
    Exclude<Verb, 'reserve' | 'sweep'>,
    { command: string; lua: string; call: (store: SlotStore, request: ReserveRequest) => Promise<unknown> }
  > = {
    restore: {
      command: 'restoreSlot',
      lua: 'return {6}',
      call: (store, request) => store.restore({ ...request, startedAt: new Date(), expiresAt: new Date() }),
    },
    find: { command: 'findSlot', lua: 'return {1}', call: (store, request) => store.find(request) },
    list: {
      command: 'listSlots',
      lua: "return {0, 'soon'}",
      call: (store, { environmentId, subject }) => store.listSubject(environmentId, subject, { limit: 1 }),
    },
    renew: {
      command: 'renewSlot',
      lua: 'return {8}',
      call: (store, request) => store.renew({ ...request, ...limits }),
    },
    'count-license-request': {
      command: 'countLicenseRequestOfSlot',
      lua: 'return {9}',
      call: (store, request) => store.countLicenseRequest({ ...request, ...limits }),
    },
    release: { command: 'releaseSlot', lua: 'return 4', call: (store, request) => store.release(ended(request)) },
    remember: {
      command: 'rememberEndedSlot',
      lua: 'return 2',
      call: (store, request) => store.remember(request, null),
    },
    undo: { command: 'undoSlot', lua: 'return {0}', call: (store, request) => store.undo(request) },
    'note-undone': { command: 'noteUndoneSlot', lua: 'return 2', call: (store, request) => store.undo(request) },
  };

  it.each(Object.entries(calls))(
    'cause an error if "%s" returns an unknown code or too few values',
    async (verb, of) => {
      const client = open();
      const store = storeOn(client);
      client.defineCommand(of.command, { numberOfKeys: scriptKeys[verb as Verb].length, lua: of.lua });
      await expect(of.call(store, newRequest())).rejects.toThrow(`unexpected reply of the slot script "${verb}"`);
    },
  );
});
