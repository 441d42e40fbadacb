import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { returnCodes, UnexpectedReply } from './return-codes';
import { another, connect, expectOutcome, keysOf, newRequest, storeOn } from './testing/test-store';

const folder = join(__dirname, 'scripts');

describe.each(Object.entries(returnCodes))('the script "%s"', (verb, meanings) => {
  const text = readFileSync(join(folder, `${verb}.lua`), 'utf8');
  const [head = '', body = ''] = text.split('\n]]\n');
  const section = (name: string) => head.split(`\n${name}\n`)[1]?.split('\n\n')[0] ?? '';
  const numbered = (name: string) =>
    [...section(name).matchAll(/^ {2}(\d+) (\w+)/gm)].map(([, number, word]) => [Number(number), word]);
  const used = (pattern: RegExp) =>
    [...new Set([...body.matchAll(pattern)].map(([, number]) => Number(number)))].sort((a, b) => a - b);

  it('lists in its head every return code with the meaning that the store gives it', () => {
    expect(numbered('Returns')).toEqual(meanings.map((meaning, code) => [code, meaning]));
  });

  it('returns the codes that its head lists and no other', () => {
    expect(used(/(?:return \{? ?|reply = \{ )(\d+)/g)).toEqual(meanings.map((_, code) => code));
  });

  it('lists in its head the keys in the order in which the store passes them', () => {
    expect(numbered('KEYS')).toEqual(Object.keys(keysOf(newRequest())).map((name, i) => [i + 1, name]));
  });

  it('uses every argument that its head lists and no other', () => {
    expect(used(/ARGV\[(\d+)\]/g)).toEqual(numbered('ARGV').map(([number]) => number));
  });
});

describe('the slot scripts', () => {
  const clients: Redis[] = [];
  const open = (options?: Parameters<typeof connect>[0]) => {
    const client = connect(options);
    clients.push(client);
    return client;
  };
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.quit())));

  it('are one file for each verb of the store', () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(returnCodes)
        .map((verb) => `${verb}.lua`)
        .sort(),
    );
  });

  it.each([false, true])(
    'are loaded again after the server has lost them (automatic pipelining: %p)',
    async (enableAutoPipelining) => {
      const client = open({ enableAutoPipelining });
      const store = storeOn(client);
      const first = newRequest({ limit: 1 });
      const second = another(first);
      expectOutcome(await store.reserve(first), 'reserved');
      await client.script('FLUSH');
      const parallel = await Promise.all(Array.from({ length: 20 }, () => store.reserve(another(first))));
      expect(new Set(parallel.map(({ outcome }) => outcome))).toEqual(new Set(['limit_reached']));
      await client.script('FLUSH');
      expect(await store.release(first)).toBe('released');
      await client.script('FLUSH');
      expectOutcome(await store.reserve(second), 'reserved');
      await client.script('FLUSH');
      await store.undo(second);
      expectOutcome(await store.reserve(another(first)), 'reserved');
    },
  );

  it.each<[string, string, number | null]>([
    ['a code of no meaning', 'return {4}', 1],
    ['a missing value', "return {0, 'id', 1}", 1],
    ['a value of another kind', "return {0, 'id', 'soon', 1, 1}", 1],
    ['details that are no JSON', "return {2, {'id', 1, 1, 'details'}}", 1],
    ['a limit where there was none', 'return {2}', null],
    ['a bare number', 'return 0', 1],
    ['nothing', 'return false', 1],
  ])('are not believed when a reservation answers with %s', async (_, lua, limit) => {
    const client = open();
    const store = storeOn(client);
    client.defineCommand('reserveSlot', { numberOfKeys: 4, lua });
    await expect(store.reserve(newRequest({ limit }))).rejects.toThrow(UnexpectedReply);
  });

  it('are not believed when a release or an undo answers with a code of no meaning', async () => {
    const client = open();
    const store = storeOn(client);
    client.defineCommand('releaseSlot', { numberOfKeys: 4, lua: 'return 4' });
    client.defineCommand('undoSlot', { numberOfKeys: 4, lua: 'return {0}' });
    await expect(store.release(newRequest())).rejects.toThrow(new UnexpectedReply('release'));
    await expect(store.undo(newRequest())).rejects.toThrow(new UnexpectedReply('undo'));
  });
});
