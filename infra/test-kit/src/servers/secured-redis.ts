import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSelfSignedCertificate } from './self-signed-certificate';
import type { TestFolder } from './test-servers';

/** What servers and clients need for encryption and passwords. */
export interface RedisSecurity {
  /** The file of the certificate that clients trust. */
  caFile: string;
  /** Of the user `default`, on the port without encryption too. */
  adminPassword: string;
  /** Of the services. */
  username: string;
  password: string;
  /** The settings of a service, except those that name the servers. */
  settings: Record<string, string>;
  /** Lines of the configuration of each server, for its port with encryption. */
  directives(tlsPort: number): string[];
  /** Further lines for servers that hold data. */
  dataDirectives: string[];
}

/** Makes a certificate and passwords for the servers of a folder. */
export function secureRedis({ path }: TestFolder): RedisSecurity {
  const { certificate, privateKey } = makeSelfSignedCertificate();
  const caFile = join(path, 'redis-certificate.pem');
  const keyFile = join(path, 'redis-key.pem');
  writeFileSync(caFile, certificate);
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  const username = 'services';
  const [adminPassword, password] = [randomPassword(), randomPassword()];
  return {
    caFile,
    adminPassword,
    username,
    password,
    settings: { REDIS_USERNAME: username, REDIS_PASSWORD: password, REDIS_CA_FILE: caFile },
    directives: (tlsPort) => [
      `tls-port ${tlsPort}`,
      `tls-cert-file ${caFile}`,
      `tls-key-file ${keyFile}`,
      `tls-ca-cert-file ${caFile}`,
      'tls-auth-clients no',
      `user ${username} on >${password} ~* &* +@all`,
    ],
    dataDirectives: [`masterauth ${adminPassword}`],
  };
}

const randomPassword = () => randomBytes(16).toString('hex');
