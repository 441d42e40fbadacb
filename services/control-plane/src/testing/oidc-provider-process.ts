import { createServer } from 'node:http';
import Provider, { type JWKS } from 'oidc-provider';

/**
 * A real OpenID provider as a separate process. Arguments: port, private keys as a JWK Set. Prints `ready` on standard
 * output.
 */
const [port = '', jwks = ''] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, { jwks: JSON.parse(jwks) as JWKS, clients: [] });
createServer(provider.callback()).listen(Number(port), '127.0.0.1', () => console.log('ready'));
