import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';

export interface Started {
  number: number;
  session: { sessionId: string; manifestUrl: string };
}

interface LastEvents {
  viewer: string;
  events: { type: string }[];
}

/** Returns what calls the site's backend as browsers do, at the URL that the site has by then. */
export function browsersOf(url: () => string) {
  /** A browser with a viewer logged in, or with none. */
  return class Browser {
    private cookie = '';

    static async of(viewer: string): Promise<Browser> {
      const browser = new Browser();
      const answer = await browser.post('/api/login', { viewer });
      expect(answer.status).toBe(204);
      browser.cookie = (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
      return browser;
    }

    post(path: string, body: unknown = {}, contentType = 'application/json'): Promise<Response> {
      const headers = { Cookie: this.cookie, 'Content-Type': contentType };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return fetch(url() + path, { method: 'POST', headers, body: text });
    }

    get(path: string): Promise<Response> {
      return fetch(url() + path, { headers: { Cookie: this.cookie } });
    }

    async start(): Promise<Started> {
      const answer = await this.post('/api/streams');
      expect(answer.status).toBe(200);
      return (await answer.json()) as Started;
    }

    /** Requests a stream; resolves when the request is written. */
    async begin(): Promise<ClientRequest> {
      const headers = { Cookie: this.cookie, 'Content-Type': 'application/json' };
      const sent = request(`${url()}/api/streams`, { method: 'POST', headers, agent: false });
      sent.on('error', () => undefined); // it is cut off
      const [socket] = await once(sent, 'socket');
      if (socket.connecting) await once(socket, 'connect');
      await new Promise<void>((resolve) => sent.end('{}', () => resolve()));
      return sent;
    }

    async lastEvents(): Promise<LastEvents> {
      const answer = await this.get('/api/events');
      expect(answer.status).toBe(200);
      return (await answer.json()) as LastEvents;
    }

    async streams(): Promise<number[]> {
      const { streams } = (await (await this.get('/api/state')).json()) as { streams: { number: number }[] };
      return streams.map(({ number }) => number);
    }
  };
}
