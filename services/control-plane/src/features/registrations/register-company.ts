import { endpoint } from '../../access/endpoint';
import type { RegistrationService } from './registration-service';

export const registerCompany = (registrations: RegistrationService) =>
  endpoint({
    operationId: 'registerCompany',
    access: 'public',
    handle: async ({ body }) => ({ status: 201, body: await registrations.register(body) }),
  });
