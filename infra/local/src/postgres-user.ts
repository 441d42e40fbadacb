import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** How to run PostgreSQL: it refuses to run as root and needs a user with a name. */
export interface PostgresUser {
  /** The command prefix. */
  launcher: readonly string[];
  /** The user to start the process as, if the launcher does not change it. */
  user?: { uid: number; gid: number };
  /** The required owner of the data folder; undefined: its creator. */
  owner: number | undefined;
}

const nobody = 65_534;

/** Chooses a way to run PostgreSQL that this machine permits, the least demanding first. */
export function choosePostgresUser(): PostgresUser {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return { launcher: [], owner: undefined };
  // A user namespace that maps this user to nobody: works in folders that only this user may enter, and needs no chown.
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`];
  if (works(namespace)) return { launcher: namespace, owner: isRoot ? 0 : undefined };
  if (!isRoot) return { launcher: [], owner: undefined };
  // Containers often refuse namespaces. Then run as nobody, with the capability to enter such folders if granted.
  const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const capable = ['setpriv', ...identity, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  if (works(capable)) return { launcher: capable, owner: nobody };
  return { launcher: [], user: { uid: nobody, gid: nobody }, owner: nobody };
}

/** Changes the owner of a folder and its content to PostgreSQL's user; an earlier run may have used another one. */
export function giveTo(owner: number | undefined, folder: string): void {
  if (owner === undefined || lstatSync(folder).uid === owner) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), owner, owner);
  // Last, so that the next run repeats an interrupted change.
  chownSync(folder, owner, owner);
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    // For example in a container with an arbitrary user id.
    return false;
  }
}

function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, [...args, 'true']).status === 0;
}
