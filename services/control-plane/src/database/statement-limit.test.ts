import { Client } from 'pg';
import type { PrismaClient } from '../generated/prisma/client';
import { startControlPlane } from '../testing/control-plane';
import { bearer, createTenant } from '../testing/records';
import { openDatabase } from '../testing/test-database';
import type { Transaction } from './database';
import { limitListStatements, limitStatements } from './statement-limit';

let prisma: PrismaClient;
let databaseUrl: string;
beforeAll(async () => {
  ({ prisma, url: databaseUrl } = await openDatabase({ statementMilliseconds: 2_000 }));
});

/** The PostgreSQL limit that applies to a statement, alone and in a transaction. */
async function bounds(setting = 'statement_timeout'): Promise<string[]> {
  const read = (client: Transaction) =>
    client.$queryRaw<{ bound: string }[]>`SELECT current_setting(${setting}) AS bound`;
  return (await Promise.all([read(prisma), prisma.$transaction(read)])).flat().map(({ bound }) => bound);
}

test('statements of limited work have its limit, and concurrent ones the general limit', async () => {
  const [limited, others] = await Promise.all([limitStatements(700, bounds), bounds()]);
  expect(limited).toEqual(['700ms', '700ms']);
  expect(others).toEqual(['2s', '2s']);
});

test('a transaction may idle only twice as long as it may take', async () => {
  expect(await bounds('idle_in_transaction_session_timeout')).toEqual(['10s', '10s']);
});

test('a limit above the general limit does not extend it', async () => {
  expect(await limitStatements(60_000, bounds)).toEqual(['2s', '2s']);
});

test.each([
  ['listContentAssets', ['1500ms', '1500ms']],
  ['createContentAsset', ['2s', '2s']],
])('statements of %s are limited to %j', async (operationId, expected) => {
  const endpoint = { operationId, access: 'public', handle: async () => ({ status: 200, body: await bounds() }) };
  expect(await limitListStatements(endpoint).handle({} as never)).toEqual({ status: 200, body: expected });
});

test('the control plane limits its lists, and nothing else', async () => {
  const query = jest.spyOn(Client.prototype, 'query');
  const controlPlane = await startControlPlane({ databaseUrl });
  const { development, key } = await createTenant(controlPlane);
  const limitsOf = async (path: string) => {
    query.mockClear();
    await controlPlane.api.get(`/api/v1/management/environments/${development}${path}`).set(bearer(key)).expect(200);
    return new Set(JSON.stringify(query.mock.calls).match(/(?<=statement_timeout = )\d+/g));
  };
  expect(await limitsOf('/content')).toContain('1500');
  expect(await limitsOf('')).not.toContain('1500');
});
