import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { errorCode } from './error-code';
import { ReadableFailure } from './terminal-output';

/** The only address that local servers listen on. */
export const localHost = '127.0.0.1';

/**
 * Returns a port of 127.0.0.1 that is currently free. The caller listens on it later, so it must not be taken meanwhile: it is not one of
 * the ports that systems assign to outgoing connections and to listeners without a port (from 32,768 on Linux, from 49,152 elsewhere).
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    try {
      return await listenOnce(port);
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}

/** Throws a {@link ReadableFailure} that names the port and its variable if the port is in use. */
export async function assertPortIsFree(port: number, variable: string): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') {
      throw new ReadableFailure(
        `Port ${port} is in use by another program. End that program, or choose another port: ${variable}=${port + 10} npm start`,
      );
    }
    throw new ReadableFailure(
      `Port ${port} cannot be used (${errorCode(error)}). Choose another one with ${variable}.`,
    );
  }
}

/** Throws a {@link ReadableFailure} that names the variable if the URL's address does not accept connections. */
export async function assertReachable(url: string, variable: string, defaultPort: number): Promise<void> {
  if (!URL.canParse(url)) throw new ReadableFailure(`${variable} is not a URL.`);
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || defaultPort), timeout: 3_000 });
  const failure = await new Promise<string | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('timeout', () => resolve('no response within 3 s'));
    socket.once('error', (error) => resolve(errorCode(error) ?? error.message));
  });
  socket.destroy();
  if (failure !== undefined) throw new ReadableFailure(`${variable}: ${host} cannot be reached (${failure}).`);
}

async function listenOnce(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, localHost, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
