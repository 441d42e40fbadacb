import { join } from 'node:path';

/** The folder of the encrypted clip, which the customer site serves. */
export const clipFolder = join(__dirname, '../../clip');
