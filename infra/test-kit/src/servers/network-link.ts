import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection to a server that a test can interrupt. It starts working. */
export interface NetworkLink {
  /** The server's URL through the link. */
  url: string;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /**
   * Accepts and keeps connections but delivers nothing, not even their end. `named`: only connections whose client set one of these
   * names in Redis, or sent one as another word of its first commands; without names, all.
   */
  silence(...named: string[]): void;
  /** Drops all further data of existing connections, while new ones work: like a failover without a reset. */
  abandon(named?: string): void;
  /** Delivers what was held back and accepts new connections. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  sockets: Socket[];
  /** The first bytes that the client sent. */
  greeting: string;
  abandoned: boolean;
}

/** A client sends its name with its first commands. */
const greetingLength = 1_000;

/** Starts a link to the server at `targetUrl`. */
export async function startNetworkLink(targetUrl: string): Promise<NetworkLink> {
  const target = new URL(targetUrl);
  const connections = new Set<Connection>();
  let silent: { named: string[] } | undefined;
  let heldBack: (() => void)[] = [];
  const deliver = (connection: Connection, action: () => void): void => {
    if (connection.abandoned) return;
    if (silent !== undefined && hasOneOf(connection, silent.named)) heldBack.push(action);
    else action();
  };

  const forward = (connection: Connection, from: Socket, to: Socket): void => {
    from.on('data', (chunk) => deliver(connection, () => void to.write(chunk)));
    from.on('error', () => undefined); // followed by 'close'
    from.on('close', () => {
      if (connection.sockets.every(({ destroyed }) => destroyed)) connections.delete(connection);
      deliver(connection, () => to.destroy());
    });
  };
  const accept = (socket: Socket): void => {
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    socket.setNoDelay(true);
    const connection: Connection = { sockets: [socket, server], greeting: '', abandoned: false };
    connections.add(connection);
    socket.on('data', (chunk) => {
      if (connection.greeting.length < greetingLength) connection.greeting += chunk.toString('latin1');
    });
    forward(connection, socket, server);
    forward(connection, server, socket);
  };

  let listener = await listen(0, accept);
  const { port } = listener.address() as AddressInfo;
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);

  const cut = async (): Promise<void> => {
    silent = undefined;
    heldBack = [];
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    for (const { sockets } of connections) for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: url.href,
    cut,
    silence: (...named) => {
      silent = { named };
    },
    abandon: (named) => {
      const names = named === undefined ? [] : [named];
      for (const connection of connections) connection.abandoned ||= hasOneOf(connection, names);
    },
    restore: async () => {
      silent = undefined;
      for (const action of heldBack.splice(0)) action();
      if (!listener.listening) listener = await listen(port, accept);
    },
    close: cut,
  };
}

/** No names match every connection. */
function hasOneOf({ greeting }: Connection, names: string[]): boolean {
  return names.length === 0 || names.some((name) => greeting.includes(`\r\n${name}\r\n`));
}

async function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
