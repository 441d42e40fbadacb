import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Bodies } from '@multi-drm/service-kit';
import express from 'express';
import supertest from 'supertest';
import { KnownClients } from './known-clients';
import { takeTurn } from './take-turn';

const credentials = { 'X-SERVICE-Client-Id': 'a-client', 'X-SERVICE-Client-Secret': 'its-key' };
const sessions = '/api/v1/playback/environments/e/sessions';

let turnsTaken: string[];
/** What a request of `takeTurn` waits for. */
let turn: Promise<void>;
let app: express.Express;

beforeEach(() => {
  turnsTaken = [];
  turn = Promise.resolve();
  const knownClients = new KnownClients('X-SERVICE');
  const turns = {
    enter: async (caller: string) => {
      turnsTaken.push(caller);
      await turn;
      return 'caller_busy' as const;
    },
  };
  app = express();
  app.use(takeTurn(new Bodies(), turns, knownClients));
  app.use((request, response) => {
    knownClients.remember(request, 'an-organization');
    response.end();
  });
});

test('a request takes its turn by address until its credentials are known, then by organization', async () => {
  for (let call = 0; call < 2; call += 1) await supertest(app).post(sessions).set(credentials).expect(200);
  const otherKey = { ...credentials, 'X-SERVICE-Client-Secret': 'a guess' };
  await supertest(app).post(sessions).set(otherKey).expect(200);
  const address = expect.stringMatching(/^address .*127\.0\.0\.1$/);
  expect(turnsTaken).toEqual([address, 'organization an-organization', address]);
});

test('a request that found no place goes on without one', async () => {
  await supertest(app).post(sessions).expect(200);
  expect(turnsTaken).toHaveLength(1);
});

test('a request takes its turn in whatever letter case its path is written', async () => {
  await supertest(app).post(sessions.replace('/api/v1/playback/', '/API/v1/Playback/')).expect(200);
  expect(turnsTaken).toHaveLength(1);
});

test('a probe waits for nothing', async () => {
  await supertest(app).get('/api/v1/health/ready').expect(200);
  expect(turnsTaken).toEqual([]);
});

test('nothing is done for a request before its turn', async () => {
  let comes: () => void = () => undefined;
  turn = new Promise((resolve) => {
    comes = resolve;
  });
  let answered = false;
  const call = supertest(app)
    .post(sessions)
    .then(() => {
      answered = true;
    });
  // A probe that was sent later is answered first.
  while (turnsTaken.length === 0) await supertest(app).get('/api/v1/health/ready').expect(200);
  await supertest(app).get('/api/v1/health/ready').expect(200);
  expect(answered).toBe(false);
  comes();
  await call;
});

test('a request whose body has not arrived takes no turn', async () => {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    socket.write(`POST ${sessions} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{`);
    for (let call = 0; call < 5; call += 1) await supertest(server).get(sessions).expect(200);
    expect(turnsTaken).toHaveLength(5);
    socket.write('}');
    await once(socket, 'data');
    expect(turnsTaken).toHaveLength(6);
  } finally {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  }
});
