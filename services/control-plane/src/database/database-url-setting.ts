import { z } from 'zod';
import { databaseUrlMessage, isDatabaseUrl } from './database-url';

/** The setting DATABASE_URL. */
export const databaseUrlSetting = z.string({ error: 'is required' }).refine(isDatabaseUrl, databaseUrlMessage);
