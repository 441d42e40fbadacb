import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** How PostgreSQL is run: it refuses to be root, and wants a user that has a name. */
export interface PostgresUser {
  /** Comes before the command. */
  launcher: readonly string[];
  /** Who the process is from its first moment, where the launcher does not see to it. */
  user?: { uid: number; gid: number };
  /** Who the data folder has to belong to; undefined: whoever made it. */
  owner: number | undefined;
}

const nobody = 65_534;

/** Finds the way to run PostgreSQL that this machine permits, the least demanding first. */
export function choosePostgresUser(): PostgresUser {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return { launcher: [], owner: undefined };
  // A user namespace in which this user is called nobody: works under folders that it alone may enter, and needs no chown.
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`];
  if (works(namespace)) return { launcher: namespace, owner: isRoot ? 0 : undefined };
  if (!isRoot) return { launcher: [], owner: undefined };
  // Containers often refuse namespaces. Then nobody, who keeps the capability to enter such folders, where that is granted.
  const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const capable = ['setpriv', ...identity, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  if (works(capable)) return { launcher: capable, owner: nobody };
  return { launcher: [], user: { uid: nobody, gid: nobody }, owner: nobody };
}

/** Hands a folder and all that is in it to the user that PostgreSQL runs as; an earlier run may have used another way. */
export function giveTo(owner: number | undefined, folder: string): void {
  if (owner === undefined || lstatSync(folder).uid === owner) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), owner, owner);
  // Last, so that a run cut short here is taken up by the next.
  chownSync(folder, owner, owner);
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    // As in a container that runs under an id of its own.
    return false;
  }
}

function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, [...args, 'true']).status === 0;
}
