import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { EndpointInput } from '../http/endpoint';
import { FairGate } from './fair-gate';
import { Turns } from './turns';

/** One place for each caller. */
function makeTurns(): Turns {
  const options = { maximumActive: 10, maximumActiveEach: 1, maximumWaitingEach: 10, waitMilliseconds: 5_000 };
  return new Turns(new FairGate(options));
}

// As much of an answer as turns use.
const makeResponse = () => new EventEmitter() as EventEmitter & Response;

/** A call's handler, which the test lets go on. */
function makeHandler(turns: Turns, response: Response) {
  const work = new EventEmitter();
  const endpoint = turns.untilHandled({
    operationId: 'wait',
    access: 'public',
    handle: async () => {
      await once(work, 'done');
      return { status: 204 };
    },
  });
  const handled = endpoint.handle({ response } as EndpointInput<never, unknown>);
  return { handled, finish: () => work.emit('done') };
}

/** Whether another call of the same caller gets a place now. */
async function hasPlace(turns: Turns): Promise<boolean> {
  let entered = false;
  const response = makeResponse();
  const entering = turns.enter('caller', response).then(() => {
    entered = true;
  });
  await nextTurn();
  const result = entered;
  response.emit('close');
  await entering;
  return result;
}

test('a call keeps its place until its handler is done, though its answer is still to be read', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  const { handled, finish } = makeHandler(turns, response);
  expect(await hasPlace(turns)).toBe(false);
  finish();
  await handled;
  expect(await hasPlace(turns)).toBe(true);
});

test('a caller that hangs up keeps its place as long as the handler works', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  const { handled, finish } = makeHandler(turns, response);
  response.emit('close');
  expect(await hasPlace(turns)).toBe(false);
  finish();
  await handled;
  expect(await hasPlace(turns)).toBe(true);
});

test('a call that is refused before its handler gives its place back with its answer', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  response.emit('close');
  expect(await hasPlace(turns)).toBe(true);
});

test('a place that is left early is given back once', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  const { handled, finish } = makeHandler(turns, response);
  turns.leave(response);
  const second = makeResponse();
  await turns.enter('caller', second);
  finish();
  await handled;
  response.emit('close');
  expect(await hasPlace(turns)).toBe(false);
});
