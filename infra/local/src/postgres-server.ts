import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Children, type RunningChild, runToEnd } from './child-process';
import { acceptsConnection, runOnDatabase } from './databases';
import { lastLines } from './log-file';
import { findFreePort, localHost } from './ports';
import { findPostgresBinaries } from './postgres-binaries';
import { choosePostgresUser, giveTo, type PostgresUser } from './postgres-user';
import { processIdentity } from './process-identity';
import { ReadableFailure } from './terminal-output';

export interface PostgresOptions {
  /** The data folder; created on the first start. */
  folder: string;
  password: string;
  logFile: string;
  /** Whether commits survive a crash of the machine. Tests do not need that. */
  durable: boolean;
  /** The default time zone of sessions, such as `Asia/Kolkata`; default: the machine's. */
  timeZone?: string | undefined;
  /** Default: a free port. */
  port?: number | undefined;
  children: Children;
  stop: AbortSignal;
}

export interface PostgresServer {
  port: number;
  child: RunningChild;
  /** Returns the connection string of a database. */
  url(database: string): string;
}

const superuser = 'postgres';
const readyWithinMilliseconds = 60_000;

/** Starts the embedded PostgreSQL on 127.0.0.1 and resolves once it accepts connections. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const user = choosePostgresUser();
  await initialize(options, user);
  giveTo(user.owner, options.folder);
  if (user.user !== undefined) chmodSync(dirname(options.folder), 0o711);
  removeForeignPidFile(options.folder);
  // A free port may be taken by another program before PostgreSQL listens on it.
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort());
    const child = await options.children.start({
      name: 'PostgreSQL',
      command: [findPostgresBinaries().postgres, ...serverArguments(options, port)],
      launcher: user.launcher,
      output: { logFile: options.logFile },
      stopSignal: 'SIGINT',
      user: user.user,
    });
    const url = (database: string): string =>
      `postgresql://${superuser}:${encodeURIComponent(options.password)}@${localHost}:${port}/${database}`;
    if (await acceptsConnections(url('postgres'), child, options.stop)) return { port, child, url };
    const log = lastLines(options.logFile, 20);
    if (attempt < 3 && options.port === undefined && log.includes('Address already in use')) continue;
    throw new ReadableFailure(`PostgreSQL did not start.${hint(user)} The end of ${options.logFile}:\n${log}`);
  }
}

/** Creates a database unless it exists. */
export async function ensureDatabase(server: PostgresServer, database: string): Promise<void> {
  const found = await runOnDatabase(server.url('postgres'), 'SELECT FROM pg_database WHERE datname = $1', [database]);
  if (found.length === 0) await runOnDatabase(server.url('postgres'), `CREATE DATABASE "${database}"`);
}

/** Creates the data folder under a temporary name first, so that an interrupted run does not look complete. */
async function initialize(options: PostgresOptions, user: PostgresUser): Promise<void> {
  if (existsSync(join(options.folder, 'PG_VERSION'))) return;
  const unfinished = `${options.folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const [data, passwordFile] = [join(unfinished, 'data'), join(unfinished, 'password')];
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, `${options.password}\n`, { mode: 0o600 });
  giveTo(user.owner, unfinished);
  if (user.user !== undefined) chmodSync(dirname(unfinished), 0o711);
  const args = ['-D', data, '-U', superuser, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  // The built-in locale exists on every machine, regardless of the operating system.
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions');
  // The password is random, so that nobody can guess it and clients need not stretch it, which takes 8 ms for each connection.
  if (!options.durable) args.push('--no-sync', '--set=scram_iterations=1');
  const { code } = await runToEnd(
    {
      name: 'initdb',
      command: [findPostgresBinaries().initdb, ...args],
      launcher: user.launcher,
      output: { logFile: options.logFile },
      user: user.user,
    },
    options.stop,
  );
  if (code !== 0) {
    const log = lastLines(options.logFile, 20);
    throw new ReadableFailure(
      `PostgreSQL's data folder could not be created.${hint(user)} The end of ${options.logFile}:\n${log}`,
    );
  }
  renameSync(data, options.folder);
  rmSync(unfinished, { recursive: true });
}

function serverArguments(options: PostgresOptions, port: number): string[] {
  const values = [`listen_addresses=${localHost}`, `port=${port}`, 'unix_socket_directories=', 'max_connections=200'];
  // The service handles violations of unique indexes; the log must not contain the values or the statement.
  values.push('log_error_verbosity=terse', 'log_min_error_statement=panic');
  if (options.timeZone !== undefined) values.push(`TimeZone=${options.timeZone}`);
  if (!options.durable) values.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  return ['-D', options.folder, ...values.flatMap((value) => ['-c', value])];
}

/**
 * PostgreSQL trusts its pid file as long as any process has that id. After a restart of the machine or container, that is often another
 * program or a zombie. The process lock of this program ensures that it is not our PostgreSQL.
 */
function removeForeignPidFile(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  if (process.platform !== 'linux' || !existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const isServer = processIdentity(pid) !== undefined && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  if (!isServer) rmSync(file, { force: true });
}

/** Resolves to true once a connection succeeds, or to false if the server has ended. */
async function acceptsConnections(url: string, child: RunningChild, stop: AbortSignal): Promise<boolean> {
  for (const deadline = Date.now() + readyWithinMilliseconds; Date.now() < deadline; await sleep(50)) {
    stop.throwIfAborted();
    if (child.end() !== undefined) return false;
    if (await acceptsConnection(url)) return true;
  }
  throw new ReadableFailure(`PostgreSQL did not accept a connection within ${readyWithinMilliseconds / 1000} s.`);
}

function hint(user: PostgresUser): string {
  if (user.user === undefined) return '';
  return (
    ' It cannot run as root, and this machine permits neither a user namespace nor a capability for it:' +
    ' start as an ordinary user, or set DATABASE_URL.'
  );
}
