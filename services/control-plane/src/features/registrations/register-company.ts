import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { RegistrationService } from './registration-service';

export const registerCompany = (registrations: RegistrationService) =>
  endpoint({
    operationId: 'registerCompany',
    access: 'public-by-address',
    handle: async (input) => ({ status: 201, body: await registrations.register(input.body, changeOf(input)) }),
  });
