import { randomUUID } from 'node:crypto';
import { openDatabase } from '../testing/test-database';
import { beginning, changedDocuments } from './changed-documents';
import { addOutboxEntry } from './outbox-entries';

test('a record that changed several times is listed once, and not again after itself', async () => {
  const { prisma } = await openDatabase();
  const record = { documentKind: 'environment' as const, documentId: randomUUID() };
  for (let times = 0; times < 3; times++) await addOutboxEntry(prisma, record.documentKind, record.documentId);
  expect(await changedDocuments(prisma, false, beginning, 10)).toEqual([record]);
  expect(await changedDocuments(prisma, false, record, 10)).toEqual([]);
  expect(await changedDocuments(prisma, true, beginning, 10)).toEqual([]);
});
