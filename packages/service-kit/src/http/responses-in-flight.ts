import type { RequestListener, Server, ServerResponse } from 'node:http';

/**
 * The requests that a server is answering. Once `endConnections` is called, keep-alive connections close after their
 * current response, and new ones after their first.
 */
export class ResponsesInFlight {
  private readonly responses = new Set<ServerResponse>();
  private ending = false;

  constructor(private readonly server: Server) {}

  /** How many requests are being answered. */
  get size(): number {
    return this.responses.size;
  }

  /**
   * Tracks the requests that reach a listener. Only those: a pipelined request that still waits for its turn when its
   * connection breaks would stay forever, because Node never closes its response.
   */
  tracked(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.responses.add(response);
      if (this.ending) end(response);
      response.once('close', () => {
        this.responses.delete(response);
        // The header of this response was already sent, so its connection would keep the closing server open.
        if (!this.server.listening) this.server.closeIdleConnections();
      });
      listener(request, response);
    };
  }

  endConnections(): void {
    this.ending = true;
    this.responses.forEach(end);
  }
}

function end(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
