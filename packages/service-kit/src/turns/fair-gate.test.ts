import { FairGate } from './fair-gate';

function gateOf(options: { maximumActive?: number; each?: number; waiting?: number; waitMilliseconds?: number }) {
  const { maximumActive = 10, each = 1, waiting = 10, waitMilliseconds = 60_000 } = options;
  const gate = new FairGate({ maximumActive, maximumActiveEach: each, maximumWaitingEach: waiting, waitMilliseconds });
  const started: string[] = [];
  const leaving: (() => void)[] = [];
  const enter = async (name: string, call = name, onWaiting: (giveUp: () => void) => void = () => undefined) => {
    const entered = await gate.enter(name, onWaiting);
    if (typeof entered === 'string') return entered;
    started.push(call);
    leaving.push(entered);
    return 'entered';
  };
  /** Ends the call that has been active longest, and lets waiting calls start. */
  const leave = async () => {
    leaving.shift()?.();
    await new Promise(setImmediate);
  };
  return { enter, leave, started };
}

test('a caller has a limited number of active calls, and its others wait in order, independent of other callers', async () => {
  const { enter, leave, started } = gateOf({ each: 2 });
  const calls = ['a1', 'a2', 'a3', 'a4'].map((call) => enter('a', call));
  await enter('b', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await leave();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  await leave();
  expect(await Promise.all(calls)).toEqual(Array(4).fill('entered'));
});

test('when all places are taken, callers take turns, however many calls each has waiting', async () => {
  const { enter, leave, started } = gateOf({ maximumActive: 1, each: 5 });
  for (const call of ['a1', 'a2', 'a3', 'a4']) void enter('a', call);
  for (const call of ['b1', 'b2']) void enter('b', call);
  void enter('c', 'c1');
  for (let left = 0; left < 7; left += 1) await leave();
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('a call that may not even wait is refused at once, with the reason', async () => {
  const own = gateOf({ waiting: 1 });
  await own.enter('a');
  void own.enter('a');
  expect(await own.enter('a')).toBe('caller_busy');
  const others = gateOf({ maximumActive: 1, waiting: 1 });
  await others.enter('a');
  void others.enter('b');
  expect(await others.enter('b')).toBe('all_busy');
});

test('a call that has waited too long is refused with the reason, and gets no place later', async () => {
  const { enter, leave, started } = gateOf({ waitMilliseconds: 20 });
  await enter('a', 'a1');
  expect(await enter('a', 'a2')).toBe('caller_busy');
  await leave();
  await enter('a', 'a3');
  expect(started).toEqual(['a1', 'a3']);
});

test('a call whose caller has gone gets no place', async () => {
  const { enter, leave, started } = gateOf({});
  const ends: (() => void)[] = [];
  await enter('a', 'a1');
  const gone = enter('a', 'a2', (giveUp) => ends.push(giveUp));
  const waiting = enter('a', 'a3');
  for (const end of ends) end();
  expect(await gone).toBe('caller_busy');
  await leave();
  expect(await waiting).toBe('entered');
  expect(started).toEqual(['a1', 'a3']);
});
