import type {
  ContentDocument,
  EnvironmentDocument,
  LicenseProfileDocument,
  PlaybackSchemas,
} from '@multi-drm/contracts';
import { licenseRefusal } from '@multi-drm/license-backends';
import { type FindTemplate, findBuiltInTemplate, layerPolicyOf, type PlaybackFacts } from '@multi-drm/policy';
import type { Catalog } from '../catalog/catalog';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

/** The documents that a session is decided from, except the viewer's. */
export interface LoadedFacts extends Omit<PlaybackFacts, 'viewer'> {
  request: CreateRequest;
  /** The license profiles that `findTemplate` finds. */
  profiles: (LicenseProfileDocument | null)[];
}

/**
 * Reads everything that a decision needs, except the viewer. Takes one round trip if nothing is cached, and another if the content
 * names a license profile that is not cached.
 */
export async function loadPlaybackFacts(
  catalog: Catalog,
  request: CreateRequest,
  environment: EnvironmentDocument,
): Promise<LoadedFacts> {
  const [organization, [content, ceiling], { profiles, findTemplate }] = await Promise.all([
    catalog.organization(environment.organizationId),
    loadContent(catalog, request.contentId, environment),
    loadTemplates(catalog, request, environment),
  ]);
  const findLicenseRefusal = licenseRefusal;
  return { request, environment, organization, content, ceiling, profiles, findTemplate, findLicenseRefusal };
}

/**
 * Reads the license profiles that the request and the environment's default name, and returns a lookup of templates by name. The
 * names of built-in templates are reserved.
 */
export async function loadTemplates(
  catalog: Catalog,
  { licensePolicyTemplate }: Pick<CreateRequest, 'licensePolicyTemplate'>,
  { projectId, settings }: EnvironmentDocument,
): Promise<Pick<LoadedFacts, 'profiles'> & { findTemplate: FindTemplate }> {
  const names = [licensePolicyTemplate, settings.defaultLicensePolicyTemplate].filter(
    (name): name is string => typeof name === 'string' && findBuiltInTemplate(name) === undefined,
  );
  const profiles = await Promise.all(names.map((name) => catalog.licenseProfile(projectId, name)));
  const findTemplate: FindTemplate = (name) => {
    const profile = profiles.find((candidate) => candidate?.name === name);
    return findBuiltInTemplate(name) ?? (profile ? layerPolicyOf(profile) : undefined);
  };
  return { profiles, findTemplate };
}

/** Loads the content asset and its license profile, which always belongs to the project. */
async function loadContent(
  catalog: Catalog,
  contentId: string,
  { environmentId, projectId }: EnvironmentDocument,
): Promise<[ContentDocument | null, LicenseProfileDocument | null]> {
  const content = await catalog.content(environmentId, contentId);
  const name = content?.licenseProfileName ?? null;
  return [content, name === null ? null : await catalog.licenseProfile(projectId, name)];
}
