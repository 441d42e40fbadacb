import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { appMessages } from './app-messages';

test('messages have the prototypes that Express gives them, so that it changes none', async () => {
  const app = express();
  const classes = appMessages(app);
  const before: [object, object][] = [];
  const after: [object, object][] = [];
  const prototypes = (...messages: [IncomingMessage, ServerResponse]): [object, object] => [
    Object.getPrototypeOf(messages[0]),
    Object.getPrototypeOf(messages[1]),
  ];
  app.get('/', (request, response) => {
    after.push(prototypes(request, response));
    response.json({ ip: request.ip, accepts: request.accepts('json') });
  });
  const server = createServer(classes, (request, response) => {
    before.push(prototypes(request, response));
    app(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await answer.json()).toEqual({ ip: '127.0.0.1', accepts: 'json' });
  expect(after[0]?.[0]).toBe(before[0]?.[0]);
  expect(after[0]?.[1]).toBe(before[0]?.[1]);
  server.close();
});
