import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadScript } from './load-script';
import { returnCodes, UnexpectedReply, type Verb } from './return-codes';
import { scriptKeys } from './slot-commands';
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

  it.each(redisKinds.flatMap((kind) => [false, true].map((pipelining) => [kind, pipelining] as const)))(
    'are reloaded after %s has lost them (automatic pipelining: %p)',
    async (kind, enableAutoPipelining) => {
      const client = open(kind, { enableAutoPipelining });
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
    },
  );

  it.each([
    ['an unknown code', 'return {7}'],
    ['a missing value', "return {0, 'id', 1, {}}"],
    ['a value of another type', "return {0, 'id', 'soon', 1, 1, '', {}}"],
    ['an invalid limit', "return {0, 'id', 1, 1, 1, 'many', {}}"],
    ['no list of the ended sessions', "return {0, 'id', 1, 1, 1, ''}"],
    ['no list of the evicted sessions', 'return {6}'],
    ['details that are not JSON', "return {2, '1', {'id', 1, 1, 'details'}}"],
    ['no limit although it is reached', 'return {2}'],
    ['no reason although the id was used', 'return {5}'],
    ['a bare number', 'return 0'],
    ['nothing', 'return false'],
  ])('cause an error if a reservation returns %s', async (_, lua) => {
    const client = open();
    const store = storeOn(client);
    client.defineCommand('reserveSlot', { numberOfKeys: 8, lua });
    await expect(store.reserve(newRequest())).rejects.toThrow(UnexpectedReply);
  });

  it('cause an error if another verb returns an unknown code or too few values', async () => {
    const client = open();
    const store = storeOn(client);
    const request = newRequest();
    const call = { ...request, callsPerMinute: null, maximumSessionMilliseconds: 1 };
    client.defineCommand('releaseSlot', { numberOfKeys: 5, lua: 'return 4' });
    client.defineCommand('rememberEndedSlot', { numberOfKeys: 2, lua: 'return 2' });
    client.defineCommand('undoSlot', { numberOfKeys: 5, lua: 'return {0}' });
    client.defineCommand('noteUndoneSlot', { numberOfKeys: 2, lua: 'return 2' });
    client.defineCommand('findSlot', { numberOfKeys: 2, lua: 'return {1}' });
    client.defineCommand('listSlots', { numberOfKeys: 3, lua: "return {0, 'soon'}" });
    client.defineCommand('renewSlot', { numberOfKeys: 6, lua: 'return {8}' });
    client.defineCommand('countLicenseRequestOfSlot', { numberOfKeys: 3, lua: 'return {9}' });
    await expect(store.release(ended(request))).rejects.toThrow('unexpected reply of the slot script "release"');
    await expect(store.remember(request, null)).rejects.toThrow('unexpected reply of the slot script "remember"');
    await expect(store.undo(request)).rejects.toThrow('unexpected reply of the slot script "undo"');
    client.defineCommand('undoSlot', { numberOfKeys: 5, lua: 'return 4' });
    await expect(store.undo(request)).rejects.toThrow('unexpected reply of the slot script "note-undone"');
    await expect(store.find(request)).rejects.toThrow('unexpected reply of the slot script "find"');
    const { environmentId, subject } = request;
    await expect(store.listSubject(environmentId, subject, { limit: 1 })).rejects.toThrow(
      'unexpected reply of the slot script "list"',
    );
    await expect(store.renew(call)).rejects.toThrow('unexpected reply of the slot script "renew"');
    await expect(store.countLicenseRequest(call)).rejects.toThrow(
      'unexpected reply of the slot script "count-license-request"',
    );
  });
});
