import { join } from 'node:path';

/** Returns the folder of a title's encrypted clip, which the customer site serves. */
export function clipFolder(folder: string): string {
  return join(__dirname, '../..', folder);
}
