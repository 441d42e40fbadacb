import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';

type SettingsChange = NonNullable<ControlPlaneSchemas['UpdateEnvironmentRequest']['settings']>;

/** The settings that depend on each other, after the change. */
interface Durations {
  sessionLifetimeSeconds: number;
  heartbeatSeconds: number | null;
  licenseTokenLifetimeSeconds: number | null;
  maximumSessionSeconds: number;
}

/** Limits that depend on the longest session. */
const withinLongestSession = ['sessionLifetimeSeconds', 'heartbeatSeconds', 'licenseTokenLifetimeSeconds'] as const;

/** Validation errors of a settings change, beyond the format of its fields. */
export function settingsErrors(change: SettingsChange, after: Durations, hasTemplate: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (!hasTemplate) {
    errors['settings.defaultLicensePolicyTemplate'] = [
      'must be a built-in template or an active license profile of the project',
    ];
  }
  for (const [index, origin] of (change.allowedOrigins ?? []).entries()) {
    if (isOrigin(origin)) continue;
    errors[`settings.allowedOrigins[${index}]`] = [
      'must be an origin as browsers send it (without a default port), null or *',
    ];
  }
  return { ...errors, ...durationErrors(change, after), ...heightErrors(change.trackTypeHeights) };
}

/** Names the field that the change sets; if it sets both, the dependent one. */
function durationErrors(change: SettingsChange, after: Durations): FieldErrors {
  const { maximumSessionSeconds: longest } = after;
  const tooLong = withinLongestSession.filter((field) => (after[field] ?? 0) > longest);
  const errors: FieldErrors = {};
  for (const field of tooLong.filter((field) => change[field] !== undefined)) {
    errors[`settings.${field}`] = [`must be at most maximumSessionSeconds, ${longest}`];
  }
  const inTheWay = tooLong.filter((field) => change[field] === undefined);
  if (change.maximumSessionSeconds !== undefined && inTheWay.length > 0) {
    errors['settings.maximumSessionSeconds'] = inTheWay.map((field) => `must be at least ${field}, ${after[field]}`);
  }
  return errors;
}

/** For schemes that are not of the web, such as an app's, URL keeps the host unchanged and returns no origin. */
function isOrigin(text: string): boolean {
  if (['*', 'null', 'file://'].includes(text)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}` === text;
}

function heightErrors(heights: SettingsChange['trackTypeHeights']): FieldErrors {
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
