import { join } from 'node:path';
import { repositoryFolder } from '../../repository';

/** The folder of the encrypted clip, which the customer site serves. */
export const clipFolder = join(repositoryFolder, 'infra/local/demo-clip');
