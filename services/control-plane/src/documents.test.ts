import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { managementRoles } from '@multi-drm/contracts';
import { defaultsLike, documentedSettings } from '@multi-drm/test-kit';
import { hashOf } from './access/credentials';
import { parseOperatorKeys } from './access/operator-keys';
import { type Permission, rolePermissions } from './access/permissions';
import { readSettings, settingNames } from './settings';

const read = (name: string) => readFileSync(join(__dirname, '../../../docs', name), 'utf8');
const catalog = read('catalog.md');

/** The text between a heading and the next one. */
function section(heading: string, from = catalog): string {
  const [, text] = from.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`there is no section "${heading}"`);
  return text.split('\n## ')[0] ?? '';
}

/** The cells of a section's table, including its header. */
const tableOf = (heading: string) =>
  section(heading)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[ -]+\|[ -]/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );

function block(heading: string, language: string, from = catalog): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section(heading, from)) ?? [];
  return text;
}

const permissions: Permission[] = [...rolePermissions.owner, 'organizations:operate'];

function lowestRole(permission: string): string {
  if (!permissions.some((one) => one === permission)) return '';
  return managementRoles.find((role) => rolePermissions[role].some((held) => held === permission)) ?? 'operator';
}

test('the table of roles matches the code', () => {
  const [head, ...rows] = tableOf('Keys and roles');
  const verbs = ['read', 'write', 'block', 'terminate', 'revoke', 'operate'];
  expect(head).toEqual(['Records', ...verbs]);
  const records = [...new Set(permissions.map((permission) => permission.split(':')[0] ?? ''))];
  const held = records.map((record) => [record, ...verbs.map((verb) => lowestRole(`${record}:${verb}`))]);
  expect(rows.sort()).toEqual(held.sort());
});

const required = { DATABASE_URL: 'postgres://db', REDIS_URL: 'redis://redis' };
const documented = documentedSettings('Control plane');

test('the table of settings lists exactly the variables that the service reads', () => {
  expect(Object.keys(documented).sort()).toEqual([...settingNames].sort());
});

test('the table of settings has the defaults of the service', () => {
  expect(documented).toEqual(defaultsLike(documented, readSettings(required)));
});

test('the service accepts the example of identity providers', () => {
  const OIDC_ISSUERS = block('Settings', 'json', read('signing-in.md'));
  const settings = readSettings({ ...required, OIDC_ISSUERS });
  expect(settings.OIDC_ISSUERS).toHaveLength(1);
});

test('the command for an operator key prints the key and a matching entry', () => {
  const [key = '', entry = ''] = execFileSync('sh', ['-c', block('The operator', 'sh', read('operator.md'))], {
    encoding: 'utf8',
  }).split('\n');
  expect(parseOperatorKeys(entry)).toEqual({ keys: [{ name: 'alice', hash: hashOf(key) }], errors: [] });
});

test("the action for Auth0 sets both claims from the person's metadata", async () => {
  const exports: { onExecutePostLogin?: (event: object, api: object) => Promise<void> } = {};
  runInNewContext(block('Recipes', 'js', read('signing-in.md')), { exports });
  const claims: Record<string, string> = {};
  const setCustomClaim = (name: string, value: string) => {
    claims[name] = value;
  };
  const event = { user: { app_metadata: { organization_id: 'acme', role: 'admin' } } };
  await exports.onExecutePostLogin?.(event, { accessToken: { setCustomClaim } });
  expect(claims).toEqual({ 'https://example.com/organization_id': 'acme', 'https://example.com/role': 'admin' });
});
