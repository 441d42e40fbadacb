import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { Transaction } from '../../database/database';
import type { EnvironmentIdentity } from '../../stores/environments';
import { lockActive } from '../../stores/lock-row';

type Content = Pick<ControlPlaneSchemas['CreateContentAssetRequest'], 'manifests' | 'keys'>;
type EnvironmentKind = ControlPlaneSchemas['EnvironmentKind'];

/**
 * Checks what a request sets of content, beyond the format of its fields. Its license profile stays active until the
 * transaction ends. Throws `invalid_request`.
 */
export async function requireValidContent(
  transaction: Transaction,
  { kind, projectId }: EnvironmentIdentity,
  sent: ControlPlaneSchemas['UpdateContentAssetRequest'],
): Promise<void> {
  const errors = contentErrors(sent, kind);
  const { licenseProfileId: profileId } = sent;
  if (typeof profileId === 'string' && !(await lockActive(transaction, 'license_profile', projectId, profileId))) {
    errors.licenseProfileId = ['must be an active license profile of the project'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

/** Validation errors of content in an environment of that kind, beyond the format of its fields. */
function contentErrors({ manifests = [], keys = [] }: Content, kind: EnvironmentKind): FieldErrors {
  const errors: FieldErrors = {};
  const add = (field: string, message: string) => {
    errors[field] = [...(errors[field] ?? []), message];
  };
  for (const [index, { url }] of manifests.entries()) {
    if (kind !== 'development' && new URL(url).protocol !== 'https:') {
      add(`manifests[${index}].url`, `must be https in a ${kind} environment`);
    }
  }
  // Compared as players treat URLs: case of scheme and host, default port and dot segments make no difference.
  for (const [index, first] of repeats(manifests.map(({ type, url }) => `${type} ${new URL(url).href}`))) {
    add(`manifests[${index}]`, `repeats type and url of manifests[${first}]`);
  }
  for (const [index, { key }] of keys.entries()) {
    if (kind !== 'development' && key !== undefined) {
      add(`keys[${index}].key`, `must be absent in a ${kind} environment`);
    }
  }
  for (const [index, first] of repeats(keys.map(({ keyId }) => keyId.toLowerCase()))) {
    add(`keys[${index}].keyId`, `repeats keys[${first}].keyId`);
  }
  return errors;
}

/** The positions of repeated values, each with the position of the first occurrence. */
function repeats(values: string[]): [index: number, first: number][] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value);
    return first < index ? [[index, first]] : [];
  });
}
