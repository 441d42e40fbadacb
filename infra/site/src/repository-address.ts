import { spawnSync } from 'node:child_process';

/**
 * The web address of a repository, from that of its git remote: `git@host:owner/name.git` and `https://host/owner/name.git` are
 * `https://host/owner/name`. Credentials in it are left out. Undefined if it is not on the web, such as a folder.
 */
export function webAddress(remote: string): string | undefined {
  const address = remote.replace(/^[\w-]+@([^:/]+):/, 'ssh://$1/');
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(address);
  const path = pathname.replace(/(?:\.git)?\/?$/, '');
  if (protocol === 'ssh:') return `https://${hostname}${path}`;
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}${path}` : undefined;
}

/** The address of the remote `origin` of a clone; undefined if it has none. */
export function originOf(clone: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: clone, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
