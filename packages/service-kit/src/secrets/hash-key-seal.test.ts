import { HashKeySeal } from './hash-key-seal';

const hashKey = 'A'.repeat(43);
const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const [former, newest] = [key('former', 1), key('newest', 2)];
const deployment = (subjectHashKey: string) => JSON.stringify({ format: 4, subjectHashKey });

test('a sealed key can be opened with the key that sealed it, wherever that is among SECRET_KEYS', () => {
  const text = new HashKeySeal([former]).seal(hashKey);
  expect(text).not.toContain(hashKey);
  const seal = new HashKeySeal([newest, former]);
  expect(seal.open(text)).toBe(hashKey);
  expect([seal.isNewest(text), seal.isNewest(seal.seal(hashKey))]).toEqual([false, true]);
  expect(seal.openDeployment(deployment(text))).toBe(deployment(hashKey));
});

test('during a rotation, processes with only the former or only the newest key can open it', () => {
  const text = new HashKeySeal([newest, former]).seal(hashKey);
  for (const one of [newest, former]) expect(new HashKeySeal([one]).open(text)).toBe(hashKey);
  expect(() => new HashKeySeal([key('other', 3)]).open(text)).toThrow();
});

test('what a removed key has sealed, too, is not current', () => {
  const text = new HashKeySeal([newest, former]).seal(hashKey);
  expect(new HashKeySeal([newest]).isNewest(text)).toBe(true);
  expect([new HashKeySeal([newest]).isCurrent(text), new HashKeySeal([former, newest]).isCurrent(text)]).toEqual([
    false,
    true,
  ]);
});

test('without SECRET_KEYS the key stays in the clear', () => {
  const seal = new HashKeySeal([]);
  expect([seal.seal(hashKey), seal.open(hashKey), seal.isNewest(hashKey)]).toEqual([hashKey, hashKey, true]);
  expect(seal.isCurrent(hashKey)).toBe(true);
});

test('a key in the clear is opened with SECRET_KEYS, too, and is not sealed with the newest', () => {
  const seal = new HashKeySeal([newest]);
  expect([seal.open(hashKey), seal.isNewest(hashKey)]).toEqual([hashKey, false]);
});

test('a document that cannot be opened stays as it is', () => {
  const sealed = deployment(new HashKeySeal([former]).seal(hashKey));
  expect(new HashKeySeal([newest]).openDeployment(sealed)).toBe(sealed);
  for (const text of ['', 'no JSON', '7', null]) expect(new HashKeySeal([newest]).openDeployment(text)).toBe(text);
});
