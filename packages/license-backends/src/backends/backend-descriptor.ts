import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { z } from 'zod';
import type { DrmSystem, LicenseBackend, LicenseTerms } from './license-backend';
import type { SignPolicy } from './policy-token';

export type BackendType = ControlPlaneSchemas['LicenseBackendType'];

/** The decrypted settings of each type, including secrets, as the control plane's OpenAPI document defines them. */
export type SettingsByType = {
  [Type in BackendType]: Extract<ControlPlaneSchemas['LicenseBackendRequest'], { type: Type }>;
};
export type BackendSettings = SettingsByType[BackendType];

/** All that the product knows of one type of license backend. */
export interface BackendDescriptor<Type extends BackendType> {
  /** Validates the decrypted settings, including secrets. */
  settings: z.ZodType<SettingsByType[Type]>;
  /** The settings that are encrypted in storage and never shown. */
  secrets: readonly Exclude<keyof SettingsByType[Type], 'type' | 'url'>[];
  /** The DRM systems that it supports. */
  systems: readonly DrmSystem[];
  /**
   * Builds the part of a request that depends on policy and keys, with the code that license requests use. Throws
   * `NotExpressible` if there is nothing to ask the vendor for: no session is created then.
   */
  plan(terms: LicenseTerms): unknown;
  /** Creates the backend for an environment's settings of one of its DRM systems. */
  create(settings: SettingsByType[Type], signPolicy: SignPolicy): LicenseBackend;
}

/** The URL of a license server, at most 2,048 characters. */
export const urlSetting = z.url({ protocol: /^https?$/ }).max(2048);
/** 1 to 200 characters. */
export const textSetting = z.string().min(1).max(200);
