import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort } from '@multi-drm/test-kit';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** The audience of the tokens. */
export const oidcAudience = 'urn:control-plane';

/** A real OpenID provider in a separate process: it serves discovery and keys; tokens are signed with its keys. */
export class OidcIssuer {
  private provider: ChildProcess | undefined;
  private port = 0;
  keys: { kid: string; privateKey: CryptoKey }[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the provider, or restarts it with new keys at the same address. */
  async start(): Promise<void> {
    this.port ||= await findFreePort();
    const kid = randomUUID();
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    this.keys = [{ kid, privateKey }];
    const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }] });
    const program = join(__dirname, 'oidc-provider-process.ts');
    const provider = spawn(process.execPath, ['--import', 'tsx', program, String(this.port), jwks], {
      cwd: join(__dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(provider.stdout, 'data');
    this.provider = provider;
  }

  async stop(): Promise<void> {
    if (this.provider === undefined || this.provider.exitCode !== null) return;
    const exit = once(this.provider, 'exit');
    this.provider.kill();
    await exit;
  }

  async token(claims: JWTPayload, changes: { issuer?: string; audience?: string } = {}): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('the issuer has no keys');
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .setIssuer(changes.issuer ?? this.url)
      .setAudience(changes.audience ?? oidcAudience)
      .sign(key.privateKey);
  }
}
