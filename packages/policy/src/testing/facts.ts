import {
  type ContentDocument,
  drmSystems,
  type EnvironmentDocument,
  type LicenseProfileDocument,
  type OrganizationDocument,
  type PlaybackSchemas,
  Problem,
  trackTypes,
} from '@multi-drm/contracts';
import { findBuiltInTemplate } from '../built-in-templates';
import type { PlaybackFacts } from '../decide-playback';
import type { Found } from '../decision-step';
import type { FindTemplate } from '../policy-layer';
import { resolveLayers } from '../resolve-policy';
import type { ResolvedPolicy } from '../resolved-policy';
import { type PolicySelection, selectLayers } from '../select-layers';

export type Rights = NonNullable<LicenseProfileDocument['rights']>;

export const now = new Date('2026-06-15T12:00:00.000Z');

const environmentId = '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77';
const projectId = 'b1b5c1f4-6a52-4f0e-8f0b-0d5f3f8e2c11';
const organizationId = '0e7e0f36-6f0b-4c55-9d5e-6f1a5f2f3d22';

/** The other settings, with neutral values. */
export const otherSettings = {
  heartbeatSeconds: null,
  maximumSessionSeconds: 86_400,
  licenseTokenLifetimeSeconds: null,
  allowedOrigins: ['*'],
  trackTypeHeights: { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 },
};

/** An environment in which every DRM system is enabled. */
export function environmentWith(settings: Partial<EnvironmentDocument['settings']> = {}): EnvironmentDocument {
  const enabled = drmSystems.map((drmSystem) => ({ drmSystem, enabled: true, backend: 'http' }));
  return {
    environmentId,
    projectId,
    organizationId,
    kind: 'development',
    settings: {
      defaultLicensePolicyTemplate: 'single-software',
      sessionLifetimeSeconds: 14_400,
      maximumConcurrentStreams: 3,
      ...otherSettings,
      ...settings,
    },
    drmSystems: enabled,
  };
}

export const organization: OrganizationDocument = {
  organizationId,
  status: 'active',
  maximumConcurrentStreams: null,
};

/** A published video with a manifest for every DRM system. */
export function contentWith(change: Partial<ContentDocument> = {}): ContentDocument {
  return {
    contentAssetId: '3c0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
    environmentId,
    contentId: 'lesson-0042',
    kind: 'vod',
    status: 'published',
    manifests: [
      { type: 'dash', url: 'https://cdn.example/dash', drmSystems: ['widevine', 'playready', 'wiseplay'] },
      { type: 'hls', url: 'https://cdn.example/hls', drmSystems: ['fairplay'] },
    ],
    keys: [],
    audioLanguages: [],
    subtitleLanguages: [],
    licenseProfileName: null,
    ...change,
  };
}

export function rightsWith(change: Partial<Rights> = {}): Rights {
  return {
    maximumConcurrentStreams: null,
    atStreamLimit: 'evict-oldest',
    licenseDurationSeconds: null,
    playbackDurationSeconds: null,
    availableFrom: null,
    availableUntil: null,
    allowedClientPlatforms: null,
    ...change,
  };
}

const weakest: Omit<PlaybackSchemas['TrackPolicy'], 'trackTypes'> = {
  widevine: { securityLevel: 1, hdcp: 'none' },
  playready: { securityLevel: 150, outputProtection: 'none' },
  fairplay: { hdcp: 'none' },
  wiseplay: { securityLevel: 1, outputControl: 0 },
};

/** A license profile without restrictions, except as changed. */
export function profileWith(change: Partial<LicenseProfileDocument> = {}): LicenseProfileDocument {
  return {
    licenseProfileId: '7a0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
    projectId,
    name: 'studio',
    maximumHeight: 4320,
    tracks: [{ trackTypes: [...trackTypes], ...weakest }],
    rights: null,
    ...change,
  };
}

/** Facts that allow playback, except as changed. */
export function factsWith(change: Partial<PlaybackFacts> = {}): PlaybackFacts {
  return {
    request: { contentType: 'vod', drmSystem: 'widevine', useEnvironmentDefaults: true },
    environment: environmentWith(),
    organization,
    viewer: null,
    content: contentWith(),
    ceiling: null,
    findTemplate: findBuiltInTemplate,
    findLicenseRefusal: () => null,
    ...change,
  };
}

/** Resolves the policy that a request selects, without the content's ceiling. Throws the problem that a create would. */
export function resolvePolicy(
  selection: PolicySelection,
  environment: EnvironmentDocument,
  findTemplate: FindTemplate = findBuiltInTemplate,
  audioOnly = false,
): ResolvedPolicy {
  const layers = foundBy(selectLayers(selection, environment, findTemplate));
  return foundBy(resolveLayers(layers, { drmSystem: selection.drmSystem, environment, audioOnly })).policy;
}

function foundBy<Value>(check: Found<Value>): Value {
  if (check.outcome === 'refused') throw new Problem(check.code, check.detail);
  return check.found;
}
