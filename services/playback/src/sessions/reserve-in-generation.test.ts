import { setImmediate as nextTurn } from 'node:timers/promises';
import { buckets } from '@multi-drm/slots/testing';
import { notComplete } from '../catalog/not-complete';
import { reserveInGeneration } from './reserve-in-generation';

const generation = { id: 'one', buckets };

/** Replies of Redis, in the order of the events. */
function replies(order: ('reserved' | 'checked')[], checks: unknown[]) {
  const waiting = { reserved: () => {}, checked: () => {} };
  const reply = (event: 'reserved' | 'checked') =>
    new Promise<void>((resolve) => {
      waiting[event] = resolve;
    });
  const asked: number[] = [];
  const requireGeneration = async () => {
    asked.push(asked.length);
    if (asked.length === 1) await reply('checked');
    const invalidatedBy = checks[asked.length - 1];
    if (invalidatedBy !== undefined) throw invalidatedBy;
  };
  const reserve = async () => {
    await reply('reserved');
    return 'reserved';
  };
  const play = async () => {
    for (const event of order) {
      waiting[event]();
      await nextTurn();
    }
  };
  return { requireGeneration, reserve, play, asked };
}

test('a check that is answered after the reservation counts', async () => {
  const { requireGeneration, reserve, play, asked } = replies(['reserved', 'checked'], [undefined]);
  const reserving = reserveInGeneration({ requireGeneration }, generation, reserve);
  await play();
  expect(await reserving).toEqual({ result: 'reserved', invalidatedBy: undefined, buckets });
  expect(asked).toHaveLength(1);
});

test('a check that is answered before the reservation is repeated, because Redis may have been emptied in between', async () => {
  const invalidatedBy = notComplete();
  const { requireGeneration, reserve, play, asked } = replies(['checked', 'reserved'], [undefined, invalidatedBy]);
  const reserving = reserveInGeneration({ requireGeneration }, generation, reserve);
  await play();
  expect(await reserving).toEqual({ result: 'reserved', invalidatedBy, buckets });
  expect(asked).toHaveLength(2);
});

test('an early check that has found another generation is enough', async () => {
  const invalidatedBy = notComplete();
  const { requireGeneration, reserve, play, asked } = replies(['checked', 'reserved'], [invalidatedBy]);
  const reserving = reserveInGeneration({ requireGeneration }, generation, reserve);
  await play();
  expect(await reserving).toMatchObject({ invalidatedBy });
  expect(asked).toHaveLength(1);
});
