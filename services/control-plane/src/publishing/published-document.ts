import type { z } from 'zod';
import type { Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { renderRecord } from './renderers';

/**
 * The document of a record as playback reads it; null if there is none. `environmentId` chooses one of the documents of an end user.
 */
export async function publishedDocument<Schema extends z.ZodType>(
  transaction: Transaction,
  kind: DocumentKind,
  id: string,
  schema: Schema,
  environmentId?: string,
): Promise<z.infer<Schema> | null> {
  const documents = (await renderRecord(transaction, kind, id)).map(({ document }) => document);
  const own = kind === 'endUser' ? documents.find((document) => isOf(document, environmentId)) : documents[0];
  return own === undefined ? null : schema.parse(JSON.parse(JSON.stringify(own)));
}

const isOf = (document: object, environmentId: string | undefined) =>
  'environmentId' in document && document.environmentId === environmentId;
