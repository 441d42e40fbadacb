import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface ComposeService {
  image?: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  command?: string[];
  environment: Record<string, string>;
  ports?: string[];
  healthcheck?: { test: string[] };
}

export const root = join(__dirname, '../..');

/** Reads `NAME=value` lines; values may be in single quotes. Lines that begin with `#` are comments. */
export function readVariables(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return [name, value.replace(/^'(.*)'$/, '$1')];
    }),
  );
}

/** Returns the services of docker-compose.yml, with `${NAME:-default}` and `${NAME:?message}` replaced as by Compose. */
export function composeServices(variables: Record<string, string>): Record<string, ComposeService> {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_match, name: string, kind: string, rest: string) => {
        const given = variables[name];
        if (given !== undefined) return given;
        if (kind === '-') return rest;
        throw new Error(`${name} is not set: ${rest}`);
      });
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item)]));
  };
  const { services } = fill(parse(text, { merge: true })) as { services: Record<string, ComposeService> };
  return services;
}
