import {
  type ContentDocument,
  type EnvironmentDocument,
  findBuiltInTemplate,
  type LicenseProfileDocument,
  type PlaybackSchemas,
} from '@multi-drm/contracts';
import type { Catalog } from '../../catalog/catalog';
import type { PlaybackFacts } from '../../policy/decide-playback';
import { type FindTemplate, statedPolicyOf } from '../../policy/stated-policy';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

/**
 * Reads all that a decision is made of, except the viewer: one round trip where nothing is in memory yet, and one more
 * where the content names a license profile that is not.
 */
export async function loadPlaybackFacts(
  catalog: Catalog,
  request: CreateRequest,
  environment: EnvironmentDocument,
): Promise<Omit<PlaybackFacts, 'viewer'> & { request: CreateRequest }> {
  const [organization, [content, ceiling], findTemplate] = await Promise.all([
    catalog.organization(environment.organizationId),
    loadContent(catalog, request.contentId, environment),
    loadTemplates(catalog, request, environment),
  ]);
  return { request, environment, organization, content, ceiling, findTemplate };
}

/**
 * Reads the license profiles that a request can name, its own template and the environment's default, and resolves to
 * the lookup of templates by name. Names of built-in templates are reserved.
 */
export async function loadTemplates(
  catalog: Catalog,
  { licensePolicyTemplate }: Pick<CreateRequest, 'licensePolicyTemplate'>,
  { projectId, settings }: EnvironmentDocument,
): Promise<FindTemplate> {
  const names = [licensePolicyTemplate, settings.defaultLicensePolicyTemplate].filter(
    (name): name is string => typeof name === 'string' && findBuiltInTemplate(name) === undefined,
  );
  const profiles = await Promise.all(names.map((name) => catalog.licenseProfile(projectId, name)));
  return (name) => {
    const profile = profiles.find((candidate) => candidate?.name === name);
    return findBuiltInTemplate(name) ?? (profile ? statedPolicyOf(profile) : undefined);
  };
}

/** A content with the license profile that it names, which is always one of the project. */
async function loadContent(
  catalog: Catalog,
  contentId: string,
  { environmentId, projectId }: EnvironmentDocument,
): Promise<[ContentDocument | null, LicenseProfileDocument | null]> {
  const content = await catalog.content(environmentId, contentId);
  const name = content?.licenseProfileName ?? null;
  return [content, name === null ? null : await catalog.licenseProfile(projectId, name)];
}
