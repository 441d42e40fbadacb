import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { returnCodes } from './return-codes';
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
      const client = connect({ enableAutoPipelining });
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
      await client.quit();
    },
  );

  it.each([
    ['a code of no meaning', 'return {4}'],
    ['a missing value', "return {0, 'id', 1}"],
    ['a value of another kind', "return {0, 'id', 'soon', 1, 1}"],
    ['details that are no JSON', "return {2, {'id', 1, 1, 'details'}}"],
    ['a bare number', 'return 0'],
    ['nothing', 'return false'],
  ])('are not believed when a reservation answers with %s', async (_, lua) => {
    const client = connect();
    const store = storeOn(client);
    client.defineCommand('reserveSlot', { numberOfKeys: 4, lua });
    await expect(store.reserve(newRequest({ limit: 1 }))).rejects.toThrow();
    await client.quit();
  });

  it('are not believed when a release or an undo answers with a code of no meaning', async () => {
    const client = connect();
    const store = storeOn(client);
    client.defineCommand('releaseSlot', { numberOfKeys: 4, lua: 'return 4' });
    client.defineCommand('undoSlot', { numberOfKeys: 4, lua: 'return {0}' });
    await expect(store.release(newRequest())).rejects.toThrow('unexpected reply of the slot script "release"');
    await expect(store.undo(newRequest())).rejects.toThrow('unexpected reply of the slot script "undo"');
    await client.quit();
  });
});
