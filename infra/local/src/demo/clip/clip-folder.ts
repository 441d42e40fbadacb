import { join } from 'node:path';
import { repositoryFolder } from '../../repository';

/** Holds the encrypted clip as the customer site serves it. */
export const clipFolder = join(repositoryFolder, 'infra/local/demo-clip');
