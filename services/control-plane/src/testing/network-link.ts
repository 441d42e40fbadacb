import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server over which a test has power. It starts whole. */
export interface NetworkLink {
  /** The server's URL, over the link. */
  url: string;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections be made and stand, with nothing coming through, not even their end. */
  silence(): void;
  /** Whole again: delivers what was held back. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a link to the server at `targetUrl`. */
export async function startNetworkLink(targetUrl: string): Promise<NetworkLink> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let silent = false;
  let heldBack: (() => void)[] = [];
  const deliver = (action: () => void): void => {
    if (silent) heldBack.push(action);
    else action();
  };

  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => deliver(() => void to.write(chunk)));
    from.on('error', () => undefined); // followed by 'close'
    from.on('close', () => {
      sockets.delete(from);
      deliver(() => to.destroy());
    });
  };
  const accept = (socket: Socket): void => {
    const server = connect(Number(target.port), target.hostname);
    forward(socket, server);
    forward(server, socket);
  };

  let listener = await listen(0, accept);
  const { port } = listener.address() as AddressInfo;
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);

  const cut = async (): Promise<void> => {
    silent = false;
    heldBack = [];
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: url.href,
    cut,
    silence: () => {
      silent = true;
    },
    restore: async () => {
      silent = false;
      for (const action of heldBack.splice(0)) action();
      if (!listener.listening) listener = await listen(port, accept);
    },
    close: cut,
  };
}

async function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
