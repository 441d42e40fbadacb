import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';

type SettingsChange = NonNullable<ControlPlaneSchemas['UpdateEnvironmentRequest']['settings']>;

/** What the change makes of the settings that depend on each other. */
interface Durations {
  sessionLifetimeSeconds: number;
  maximumSessionSeconds: number;
}

/** What is wrong with a change of settings beyond the form of its fields. */
export function settingsFaults(change: SettingsChange, after: Durations, hasTemplate: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (!hasTemplate) {
    errors['settings.defaultLicensePolicyTemplate'] = [
      'must be a built-in template or a license profile of the project that is not archived',
    ];
  }
  if (after.sessionLifetimeSeconds > after.maximumSessionSeconds) {
    const [field, message] =
      change.sessionLifetimeSeconds === undefined
        ? ['maximumSessionSeconds', `must be at least sessionLifetimeSeconds, ${after.sessionLifetimeSeconds}`]
        : ['sessionLifetimeSeconds', `must be at most maximumSessionSeconds, ${after.maximumSessionSeconds}`];
    errors[`settings.${field}`] = [message];
  }
  for (const [index, origin] of (change.allowedOrigins ?? []).entries()) {
    if (isOrigin(origin)) continue;
    errors[`settings.allowedOrigins[${index}]`] = [
      'must be an origin as browsers send it (without a default port), or *',
    ];
  }
  return { ...errors, ...heightFaults(change.trackTypeHeights) };
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

function heightFaults(heights: SettingsChange['trackTypeHeights']): FieldErrors {
  if (heights === undefined) return {};
  const steps = [
    ['SD', 'HD'],
    ['HD', 'UHD1'],
    ['UHD1', 'UHD2'],
  ] as const;
  return Object.fromEntries(
    steps
      .filter(([lower, higher]) => heights[higher] <= heights[lower])
      .map(([lower, higher]) => [`settings.trackTypeHeights.${higher}`, [`must be above ${lower}, ${heights[lower]}`]]),
  );
}
