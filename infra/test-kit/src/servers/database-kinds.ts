import { randomBytes } from 'node:crypto';
import { runOnDatabase } from '@multi-drm/local/databases';

/** How databases of some host are set up. */
export interface DatabaseKind {
  /** Options of CREATE DATABASE. */
  created: string;
  /** Settings of the role that the control plane connects as. */
  settings?: Record<string, string>;
  /** Whether the tables are in a schema of the role's name instead of `public`. */
  ownSchema?: boolean;
}

/** Databases that the control plane works with. */
export const usableKinds: Record<string, DatabaseKind> = {
  'german-in-own-schema': {
    created: `LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    settings: { DateStyle: 'German', IntervalStyle: 'sql_standard', bytea_output: 'escape' },
    ownSchema: true,
  },
  turkish: {
    created: `LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C' TEMPLATE template0`,
    settings: { DateStyle: 'SQL, DMY' },
  },
};

/** Databases that it refuses, with the name of the encoding. */
export const refusedEncodings = ['SQL_ASCII', 'LATIN1'];

/** The kind that `TEST_DATABASE` names; undefined: as a new server creates them. */
export function databaseKindOfRun(): DatabaseKind | undefined {
  const name = process.env.TEST_DATABASE;
  if (!name) return undefined;
  const kind = usableKinds[name];
  if (kind === undefined)
    throw new Error(`TEST_DATABASE is "${name}"; it must be ${Object.keys(usableKinds).join(' or ')}`);
  return kind;
}

/** Creates the role of this kind, which may do what suites do, and returns the server's URL for it. */
export async function createRole(serverUrl: string, { settings = {} }: DatabaseKind): Promise<string> {
  const [name, password] = ['app_role', randomBytes(16).toString('hex')];
  await runOnDatabase(serverUrl, `CREATE ROLE ${name} SUPERUSER LOGIN PASSWORD '${password}'`);
  for (const [setting, value] of Object.entries(settings)) {
    await runOnDatabase(serverUrl, `ALTER ROLE ${name} SET ${setting} = '${value}'`);
  }
  return Object.assign(new URL(serverUrl), { username: name, password }).href;
}
