import { readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import type { KeptFolder } from './kept-files';
import type { Finding, SecretSearch } from './secret-search';

/** The kinds of files that are searched. */
export type Medium = Exclude<KeptFolder, 'secrets'> | 'redis';

/** Describes the kind and place of each finding, once per place. Never contains the secret, even if it is part of a name. */
export function describeFindings(medium: Medium, file: string, findings: Finding[], search: SecretSearch): string[] {
  // The whole file is read, but only if something was found.
  const bytes = readFileSync(file);
  const hidden = (text: string): string => (search.find(Buffer.from(text)).length === 0 ? text : '(a secret)');
  // For Redis, with the folders of the server and the file.
  const name = medium === 'redis' ? file.split(sep).slice(-3).join('/') : basename(file).replaceAll('+', '/');
  const places = findings.map(({ kind, at }) => {
    const place = medium === 'redis' ? commandAt(bytes, at) : lineAt(bytes, at);
    return `${kind} in plain text: ${placeNames[medium]} ${name}${place.map((part) => `, ${hidden(part)}`).join('')}`;
  });
  return [...new Set(places)];
}

const placeNames: Readonly<Record<Medium, string>> = {
  logs: 'log of',
  problems: 'problem in',
  databases: 'database of',
  redis: 'Redis,',
};

/** Returns the table, if any, the member of the line's JSON around the place, and the message of a log entry. */
function lineAt(bytes: Buffer, at: number): string[] {
  const begin = bytes.lastIndexOf('\n', at) + 1;
  const end = bytes.indexOf('\n', at);
  const line = String(bytes.subarray(begin, end === -1 ? bytes.length : end));
  const tab = line.indexOf('\t');
  const table = tab > 0 && line[0] !== '{' ? [line.slice(0, tab)] : [];
  const offset = at - begin;
  try {
    const entry = JSON.parse(table.length === 0 ? line : line.slice(tab + 1)) as Record<string, unknown>;
    const members = [...String(bytes.subarray(begin, at)).matchAll(/"(\w+)":/g)].map(([, name = '']) => name);
    const around = members.filter((name) => name in entry).at(-1);
    const message = typeof entry.message === 'string' ? [`"${entry.message.slice(0, 100)}"`] : [];
    return [...table, ...(around === undefined ? [] : [around]), ...message];
  } catch {
    return [...table, `byte ${offset} of a line`];
  }
}

/** Returns the command of an append-only file (`*<parts>\r\n$<length>\r\n<part>\r\n…`) around the place, and its key. */
function commandAt(bytes: Buffer, at: number): string[] {
  // Finds the last line before it that starts a command: its number of parts and a name.
  for (let mark = bytes.lastIndexOf('\r\n*', at); ; mark = bytes.lastIndexOf('\r\n*', mark - 1)) {
    const start = mark === -1 ? 0 : mark + 2;
    const head = /^\*\d+\r\n\$\d+\r\n([A-Za-z]+)\r\n\$(\d+)\r\n/.exec(bytes.toString('latin1', start, start + 100));
    if (head !== null) {
      const [{ length }, name = '', keyLength] = head;
      return [name, bytes.toString('utf8', start + length, start + length + Number(keyLength))];
    }
    if (mark <= 0) break;
  }
  return ['outside of a command'];
}
