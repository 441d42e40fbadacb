import type { AuditedEndUser, AuditedRecord } from '../audit/audited-values';
import type { ChangedDocument } from '../publishing/changed-documents';
import { apiClientResponse } from '../responses/api-clients';
import { contentResponse } from '../responses/content-assets';
import { drmSystemResponse } from '../responses/drm-systems';
import { environmentResponse } from '../responses/environments';
import { licenseProfileResponse } from '../responses/license-profiles';
import { managementKeyResponse } from '../responses/management-keys';
import { organizationResponse } from '../responses/organizations';
import { projectResponse } from '../responses/projects';
import { rightsResponse } from '../responses/rights';
import { webhookEndpointResponse } from '../responses/webhook-endpoints';
import type { DrmSystemRecord } from '../stores/drm-systems';
import type { AuditableEndUser } from '../stores/end-users';

/** What a change of a kind of record writes beside the record itself. */
interface RecordKind<Row> {
  /** The form of the record whose values the audit trail holds. */
  audited: (row: Row, now: Date) => AuditedRecord;
  /** The record's id in the audit trail. */
  recordId: (row: Row) => string;
  /** The document by which playback knows the record; undefined if there is none. */
  document: (row: Row) => ChangedDocument | undefined;
}

/** Every kind of record: which of its values are audited, and as what kind of document it is published. */
const kinds = {
  organization: identified({ audited: organizationResponse, published: 'organization' }),
  managementKey: identified({ audited: managementKeyResponse }),
  project: identified({ audited: projectResponse }),
  environment: identified({ audited: environmentResponse, published: 'environment' }),
  drmSystem: {
    audited: drmSystemResponse,
    recordId: ({ environmentId, drmSystem }: DrmSystemRecord) => `${environmentId}/${drmSystem}`,
    document: ({ environmentId }: DrmSystemRecord) => ({ documentKind: 'environment', documentId: environmentId }),
  } satisfies RecordKind<DrmSystemRecord>,
  rights: identified({ audited: rightsResponse }), // published within the documents of license profiles
  licenseProfile: identified({ audited: licenseProfileResponse, published: 'licenseProfile' }),
  contentAsset: identified({ audited: contentResponse, published: 'content' }),
  apiClient: identified({ audited: apiClientResponse, published: 'apiClient' }),
  webhookEndpoint: identified({ audited: webhookEndpointResponse }),
  endUser: identified({ audited: auditedEndUser, published: 'endUser' }),
};

/** A kind of record, as actions in the audit trail name it. */
export type RecordKindName = keyof typeof kinds;

/** The stored form of a kind of record. */
export type RowOf<Name extends RecordKindName> = Parameters<(typeof kinds)[Name]['audited']>[0];

export const recordKinds: { [Name in RecordKindName]: RecordKind<RowOf<Name>> } = kinds;

/** A kind whose records have ids, also in their documents. */
function identified<Row extends { id: string }>({
  audited,
  published,
}: Pick<RecordKind<Row>, 'audited'> & { published?: ChangedDocument['documentKind'] }): RecordKind<Row> {
  return {
    audited,
    recordId: ({ id }) => id,
    document: ({ id }) => published && { documentKind: published, documentId: id },
  };
}

/** Values are recorded only of what decides whether the viewer may watch: personal data must not outlive the user. */
function auditedEndUser({ status, maximumConcurrentStreams }: AuditableEndUser): AuditedEndUser {
  return { status, maximumConcurrentStreams };
}
