import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** How an issuer answers. */
export type IssuerState = 'answers' | 'fails' | 'resets' | 'hangs';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An identity provider that can fail. It notes when it is asked, and signs tokens with ES256. */
export class FakeIssuer {
  /** Milliseconds since 1970 of each request for a document. */
  readonly askedAt: number[] = [];
  state: IssuerState = 'answers';
  private readonly key = newKey();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeIssuer> {
    const server = createServer();
    const issuer = new FakeIssuer(server);
    server.on('request', ({ url }, response) => issuer.answer(url, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  token(claims: object): string {
    return this.signed(claims, 'one', this.key.privateKey);
  }

  /** Tokens that anybody can make: without a signature, and signed with another key under the issuer's key id or an unknown one. */
  forgedTokens(claims: object): string[] {
    const { privateKey } = newKey();
    const unsigned = `${base64url({ alg: 'none' })}.${base64url({ ...claims, iss: this.url })}.`;
    return [unsigned, ...['one', 'unknown'].map((keyId) => this.signed(claims, keyId, privateKey))];
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private signed(claims: object, kid: string, privateKey: KeyObject): string {
    const content = `${base64url({ alg: 'ES256', kid })}.${base64url({ ...claims, iss: this.url })}`;
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }

  private answer(path: string | undefined, response: ServerResponse): void {
    this.askedAt.push(Date.now());
    if (this.state === 'hangs') return;
    if (this.state === 'resets') response.destroy();
    else if (this.state === 'fails') response.writeHead(500).end();
    else if (path === '/keys') {
      const key = { ...this.key.publicKey.export({ format: 'jwk' }), kid: 'one' };
      response.end(JSON.stringify({ keys: [key] }));
    } else response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }));
  }
}
