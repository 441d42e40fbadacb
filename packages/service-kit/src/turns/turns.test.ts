import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { EndpointInput } from '../http/endpoint';
import { FairGate } from './fair-gate';
import { Turns } from './turns';

/** One place per caller. */
function makeTurns(): Turns {
  const options = { maximumActive: 10, maximumActiveEach: 1, maximumWaitingEach: 10, waitMilliseconds: 5_000 };
  return new Turns(new FairGate(options));
}

// The part of a response that `Turns` uses.
const makeResponse = () => new EventEmitter() as EventEmitter & Response;

/** A handler that runs until the test finishes it. */
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

/** Whether another call of the same caller would get a place now. */
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

test('a call keeps its place until its handler is done, even before its response has been read', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  const { handled, finish } = makeHandler(turns, response);
  expect(await hasPlace(turns)).toBe(false);
  finish();
  await handled;
  expect(await hasPlace(turns)).toBe(true);
});

test('a caller that hangs up keeps its place until the handler is done', async () => {
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

test('a call that is refused before its handler gives its place back with its response', async () => {
  const turns = makeTurns();
  const response = makeResponse();
  await turns.enter('caller', response);
  response.emit('close');
  expect(await hasPlace(turns)).toBe(true);
});

test('a place that is left early is given back only once', async () => {
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
