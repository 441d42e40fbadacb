import type { ChangedDocument } from '../publishing/changed-documents';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { createTenant, type TestTenant } from '../testing/records';
import type { Actor } from './change';
import { Changes } from './changes';
import type { OpenChange } from './open-change';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const now = new Date('2026-03-01T10:00:00.000Z');
const actor = (): Actor => ({
  kind: 'operator',
  id: null,
  name: null,
  requestId: 'changes-0001',
  address: null,
  tenantScope: {
    organizationId: tenant.organizationId,
    noun: 'project',
    byOperator: true,
    changes: true,
    whileSuspended: false,
    archives: false,
    restores: false,
  },
});

/** Changes whose publisher reads the project's name, as others see it, when it is woken. */
function changesSeenWhenWoken() {
  const names: Promise<string>[] = [];
  const publisher = {
    wake: () => {
      const where = { id: tenant.projectId };
      names.push(controlPlane.prisma.project.findUniqueOrThrow({ where }).then(({ name }) => name));
    },
    whenPublished: async () => undefined,
  };
  return { changes: new Changes({ database: controlPlane.prisma, publisher, now: () => now }), names };
}

type Steps = (open: OpenChange) => Promise<{ id: string }>;

const ways: [string, (changes: Changes, steps: Steps) => Promise<unknown>][] = [
  ['a change', (changes, steps) => changes.run({ actor: actor() }, steps)],
  ['an exclusive change', (changes, steps) => changes.runExclusively({ actor: actor() }, steps)],
  ['a create', (changes, steps) => changes.createOnce({ actor: actor(), claim: undefined }, steps)],
];

test.each(ways)('%s wakes the publisher once, when others see it', async (way, run) => {
  const { changes, names } = changesSeenWhenWoken();
  await run(changes, ({ transaction }) =>
    transaction.project.update({ where: { id: tenant.projectId }, data: { name: `by ${way}` } }),
  );
  expect(await Promise.all(names)).toEqual([`by ${way}`]);
});

test.each(ways)('%s that is refused is undone and wakes nobody', async (_way, run) => {
  const { changes, names } = changesSeenWhenWoken();
  const refused = run(changes, async ({ transaction }) => {
    await transaction.project.update({ where: { id: tenant.projectId }, data: { name: 'Refused' } });
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(names).toEqual([]);
  const project = await controlPlane.prisma.project.findUniqueOrThrow({ where: { id: tenant.projectId } });
  expect(project.name).not.toBe('Refused');
});

test.each(ways)(
  '%s ends once its documents are published, and has no open transaction until then',
  async (_way, run) => {
    const events: unknown[] = [];
    const whenPublished = async (documents: ChangedDocument[]) => {
      const [open] = await controlPlane.prisma.$queryRaw<unknown[]>`
      SELECT count(*)::int AS transactions FROM pg_stat_activity
      WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
      events.push(documents, open);
    };
    const publisher = { wake: () => undefined, whenPublished };
    const changes = new Changes({ database: controlPlane.prisma, publisher, now: () => now });
    await run(changes, async (open) => {
      await open.publish('environment', tenant.development);
      return { id: tenant.development };
    });
    events.push('ended');
    const document = { documentKind: 'environment', documentId: tenant.development };
    expect(events).toEqual([[document], { transactions: 0 }, 'ended']);
  },
);
