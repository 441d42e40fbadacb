import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { environmentResponse } from './environment-response';
import type { EnvironmentRecord, EnvironmentStore } from './environment-store';
import { etagOf, parseIfMatch } from './if-match';

type EnvironmentResponse = ControlPlaneSchemas['EnvironmentResponse'];

/** An environment, and the entity tag of its version. */
interface VersionedEnvironment {
  environment: EnvironmentResponse;
  etag: string;
}

interface EnvironmentOptions {
  store: EnvironmentStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Environments of a project and their settings. */
export class EnvironmentService {
  constructor(private readonly options: EnvironmentOptions) {}

  /** Every environment, oldest first. */
  async list(projectId: string): Promise<EnvironmentResponse[]> {
    return (await this.options.store.list(projectId)).map(environmentResponse);
  }

  async read(environmentId: string): Promise<VersionedEnvironment> {
    return versioned(await this.options.store.read(environmentId));
  }

  /**
   * Changes settings, provided that nobody else did since the caller read them. Throws `precondition_required` or
   * `precondition_failed`.
   */
  async update(
    environmentId: string,
    ifMatch: string | undefined,
    { settings }: ControlPlaneSchemas['UpdateEnvironmentRequest'],
  ): Promise<VersionedEnvironment> {
    const { store, publisher, now } = this.options;
    const updated = await store.update(environmentId, parseIfMatch(ifMatch), settings, now());
    if (updated === null) {
      throw new Problem('precondition_failed', 'The environment has changed since; read it again.');
    }
    publisher.wake();
    return versioned(updated);
  }
}

function versioned(record: EnvironmentRecord): VersionedEnvironment {
  return { environment: environmentResponse(record), etag: etagOf(record.version) };
}
