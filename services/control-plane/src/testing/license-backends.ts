import { splitSettings } from '@multi-drm/license-backends';
import { exampleSettings } from '@multi-drm/license-backends/testing';

export type Vendor = keyof typeof exampleSettings;

/** Valid settings of each license backend that has an address, with the secret ones separated. */
export const backends = Object.fromEntries(
  Object.entries(exampleSettings).map(([type, settings]) => [type, splitSettings(settings)]),
) as Record<Vendor, ReturnType<typeof splitSettings>>;
