import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { IssuerKeys, IssuerUnreachable } from './issuer-keys';

const minute = 60_000;
const day = 24 * 60 * minute;

let keySet: JSONWebKeySet;
let time: number;
/** What the issuer does when it is asked. */
let fetch: () => Promise<JSONWebKeySet>;
let fetches: number;
let warnings: unknown[];
let keys: IssuerKeys;

beforeAll(async () => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] };
});
beforeEach(() => {
  time = 0;
  fetches = 0;
  warnings = [];
  answers();
  keys = new IssuerKeys({
    issuer: 'https://idp.example.com',
    fetch: () => {
      fetches += 1;
      return fetch();
    },
    monotonicNow: () => time,
    logger: { warn: (_message, fields) => warnings.push(fields) },
  });
});

const answers = () => {
  fetch = async () => keySet;
};
const fails = () => {
  fetch = async () => {
    throw new Error('500');
  };
};
const hangs = () => {
  fetch = () => new Promise(() => undefined);
};
/** The seconds after which an unreachable issuer is asked again. */
const retryAfter = async () => {
  const error = await keys.current().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(IssuerUnreachable);
  return (error as IssuerUnreachable).retryAfterSeconds;
};
const settled = () => new Promise(setImmediate);

test('calls at the same time share one fetch', async () => {
  await Promise.all([keys.current(), keys.current(), keys.current()]);
  expect(fetches).toBe(1);
});

test('an issuer that fails is asked again after 5 seconds, which double up to 60', async () => {
  fails();
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const pause = await retryAfter();
    pauses.push(pause);
    time += pause * 1000 - 1;
    expect([await retryAfter(), fetches]).toEqual([1, attempt + 1]);
    time += 1;
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
});

test('a success begins at 5 seconds again', async () => {
  fails();
  expect(await retryAfter()).toBe(5);
  time += 5_000;
  expect(await retryAfter()).toBe(10);
  time += 10_000;
  answers();
  await keys.current();
  fails();
  time += day;
  expect(await retryAfter()).toBe(5);
});

test('keys are fetched again after ten minutes', async () => {
  await keys.current();
  time += 10 * minute - 1;
  await keys.current();
  expect(fetches).toBe(1);
  time += 1;
  await keys.current();
  expect(fetches).toBe(2);
});

test('older keys stay usable for a day while fetching them fails, and no longer', async () => {
  const first = await keys.current();
  fails();
  time += 10 * minute;
  expect(await keys.current()).toBe(first);
  time = day - 1;
  expect(await keys.current()).toBe(first);
  time = day;
  await expect(keys.current()).rejects.toBeInstanceOf(IssuerUnreachable);
  expect(warnings[0]).toMatchObject({ issuer: 'https://idp.example.com', retrySeconds: 5, olderKeysAreUsed: true });
});

test('after a failure, an issuer that never answers delays no call that can go on with older keys', async () => {
  const first = await keys.current();
  fails();
  time += 10 * minute;
  await keys.current();
  hangs();
  time += 5_000;
  expect(await Promise.all([keys.current(), keys.current()])).toEqual([first, first]);
  expect(fetches).toBe(3);
});

test('after a failure, an issuer that never answers holds up one call at a time', async () => {
  fails();
  await retryAfter();
  hangs();
  time += 5_000;
  const waiting = jest.fn();
  keys.current().then(waiting, waiting);
  expect(await retryAfter()).toBe(1);
  await settled();
  expect(waiting).not.toHaveBeenCalled();
});

test('a token that no key fits has newer keys fetched, at most once in 5 seconds', async () => {
  const first = await keys.current();
  expect(await keys.newerThan(first)).toBeNull();
  time += 5_000;
  const [second, same] = await Promise.all([keys.newerThan(first), keys.newerThan(first)]);
  expect(second).not.toBe(first);
  expect(same).toBe(second);
  expect(fetches).toBe(2);
});

test('a token that no key fits is not refused while fetching newer keys fails', async () => {
  const first = await keys.current();
  fails();
  time += 5_000;
  await expect(keys.newerThan(first)).rejects.toMatchObject({ retryAfterSeconds: 5 });
  await expect(keys.newerThan(first)).rejects.toBeInstanceOf(IssuerUnreachable);
  expect(fetches).toBe(2);
});

test('what is no key set counts as a failure', async () => {
  fetch = async () => ({ keys: 'none' }) as never;
  expect(await retryAfter()).toBe(5);
});
