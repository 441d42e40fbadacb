import { ConnectionGate } from './connection-gate';

const never = new AbortController().signal;

function gateOf(maximumActive: number, maximumWaiting: number) {
  const gate = new ConnectionGate({ maximumActive, maximumWaiting });
  const order: string[] = [];
  const enter = (name: string, signal = never) => {
    const entered = gate.enter(signal);
    return entered?.then((leave) => {
      order.push(name);
      return leave;
    });
  };
  return { enter, order };
}

test('waiting requests proceed in order, one for each that leaves; one too many is refused at once', async () => {
  const { enter, order } = gateOf(1, 2);
  const first = enter('first');
  const second = enter('second');
  const third = enter('third');
  expect(enter('fourth')).toBeUndefined();
  const leaveFirst = await first;
  expect(order).toEqual(['first']);
  leaveFirst?.();
  const leaveSecond = await second;
  expect(order).toEqual(['first', 'second']);
  expect(enter('fifth')).toBeDefined();
  expect(enter('sixth')).toBeUndefined();
  leaveSecond?.();
  await third;
  expect(order).toEqual(['first', 'second', 'third']);
});

test('a request that gives up makes room and gets no place', async () => {
  const { enter, order } = gateOf(1, 1);
  const leaveFirst = await enter('first');
  const ender = new AbortController();
  const second = enter('second', ender.signal);
  ender.abort();
  await expect(second).rejects.toMatchObject({ kind: 'timed_out', progress: 'not_sent' });
  const third = enter('third');
  leaveFirst?.();
  (await third)?.();
  (await enter('fourth'))?.();
  expect(order).toEqual(['first', 'third', 'fourth']);
});
