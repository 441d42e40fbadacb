import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Children, RunningChild } from './child-process';
import { acceptsConnection } from './databases';
import { findExecutable } from './executable';
import { lastLines } from './log-file';
import { findFreePort, localHost } from './ports';
import { choosePostgresUser, giveTo } from './postgres-user';
import { writePrivateFile } from './private-file';
import { ReadableFailure } from './terminal-output';

export interface PgBouncerOptions {
  program: string;
  /** The connection string of the PostgreSQL behind it, with user and password. */
  serverUrl: string;
  /** Maximum connections to the server per database. */
  connections: number;
  /** The folder of its configuration; created if absent. */
  folder: string;
  logFile: string;
  children: Children;
  stop: AbortSignal;
}

export interface PgBouncer {
  /** The connection string of the server through the pooler. */
  url: string;
  child: RunningChild;
}

const readyWithinMilliseconds = 30_000;

/** Returns the path of PgBouncer, if installed. On Debian, it is not on the PATH of ordinary users. */
export function findPgBouncer(): string | undefined {
  return findExecutable('pgbouncer', `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin`);
}

/**
 * Starts a PgBouncer on 127.0.0.1 in transaction mode, otherwise with its defaults: it refuses unknown startup parameters. Resolves once
 * it is connected to the server.
 */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const user = choosePostgresUser(); // like PostgreSQL, it refuses to run as root
  const port = await findFreePort();
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const configuration = join(options.folder, 'pgbouncer.ini');
  writePrivateFile(join(options.folder, 'users.txt'), usersText(options.serverUrl));
  writePrivateFile(configuration, configurationText(options, port));
  giveTo(user.owner, options.folder);
  const child = await options.children.start({
    name: 'PgBouncer',
    command: [options.program, configuration],
    launcher: user.launcher,
    output: { logFile: options.logFile },
    user: user.user,
  });
  const url = new URL(options.serverUrl);
  url.host = `${localHost}:${port}`;
  for (const deadline = Date.now() + readyWithinMilliseconds; Date.now() < deadline; await sleep(25)) {
    options.stop.throwIfAborted();
    if (child.end() !== undefined) break;
    if (await acceptsConnection(url.href)) return { url: url.href, child };
  }
  throw new ReadableFailure(
    `PgBouncer did not start. The end of ${options.logFile}:\n${lastLines(options.logFile, 20)}`,
  );
}

function configurationText({ serverUrl, connections, folder }: PgBouncerOptions, port: number): string {
  const server = new URL(serverUrl);
  return [
    '[databases]',
    `* = host=${server.hostname} port=${server.port || 5432}`,
    '[pgbouncer]',
    `listen_addr = ${localHost}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users.txt')}`,
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 1000',
    // Databases must soon be unused, so that they can be dropped or cloned.
    'server_idle_timeout = 5',
    '',
  ].join('\n');
}

function usersText(serverUrl: string): string {
  const { username, password } = new URL(serverUrl);
  const quoted = [username, password].map((text) => `"${decodeURIComponent(text).replaceAll('"', '""')}"`);
  return `${quoted.join(' ')}\n`;
}
