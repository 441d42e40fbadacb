import {
  contentDocument,
  endUserDocument,
  environmentDocument,
  licenseProfileDocument,
  organizationDocument,
} from '@multi-drm/contracts';
import { findBuiltInTemplate, layerPolicyOf, type PlaybackFacts } from '@multi-drm/policy';
import type { z } from 'zod';
import type { Database } from '../../database/database';
import { publishedDocument } from '../../publishing/published-document';
import { readSubjectBuckets } from '../../publishing/subject-hash-key';
import { findContentId } from '../../stores/content-assets';
import { findEndUserId } from '../../stores/end-users';
import type { EnvironmentScope } from '../../stores/environments';
import { findKeptBlock } from '../../stores/erasures';
import { findLicenseProfileId } from '../../stores/license-profiles';

type Documents = Pick<PlaybackFacts, 'organization' | 'viewer' | 'content' | 'ceiling' | 'findTemplate'> & {
  /** null: it is archived, or something that it belongs to. */
  environment: PlaybackFacts['environment'] | null;
};

interface Asked {
  subject: string;
  contentId: string;
  licensePolicyTemplate?: string | undefined;
}

/** The id under which the viewer is published: its own, or that of the record that was erased while it was blocked. */
async function findViewerId(database: Database, projectId: string, subject: string): Promise<string | undefined> {
  const own = await findEndUserId(database, projectId, subject);
  if (own !== undefined) return own;
  const buckets = await readSubjectBuckets(database);
  return (await findKeptBlock(database, projectId, buckets.hashOf(projectId, subject)))?.endUserId;
}

/** The documents that playback would decide from, as the control plane publishes them. */
export async function loadSessionDocuments(
  database: Database,
  { id, projectId, organizationId }: EnvironmentScope,
  { subject, contentId, licensePolicyTemplate }: Asked,
): Promise<Documents> {
  const documentOf = <Schema extends z.ZodType>(
    kind: 'licenseProfile' | 'content' | 'endUser',
    recordId: string | undefined,
    schema: Schema,
  ) => (recordId === undefined ? null : publishedDocument(database, kind, recordId, schema, id));
  const profileNamed = async (name: string | null | undefined) => {
    if (typeof name !== 'string' || findBuiltInTemplate(name) !== undefined) return null;
    return documentOf('licenseProfile', await findLicenseProfileId(database, projectId, name), licenseProfileDocument);
  };
  const environment = await publishedDocument(database, 'environment', id, environmentDocument);
  const profiles = [
    await profileNamed(licensePolicyTemplate),
    await profileNamed(environment?.settings.defaultLicensePolicyTemplate),
  ];
  const content = await documentOf('content', (await findContentId(database, id, contentId))?.id, contentDocument);
  return {
    environment,
    content,
    organization: await publishedDocument(database, 'organization', organizationId, organizationDocument),
    viewer: await documentOf('endUser', await findViewerId(database, projectId, subject), endUserDocument),
    ceiling: await profileNamed(content?.licenseProfileName),
    findTemplate: (name) => {
      const profile = profiles.find((candidate) => candidate?.name === name);
      return findBuiltInTemplate(name) ?? (profile ? layerPolicyOf(profile) : undefined);
    },
  };
}
