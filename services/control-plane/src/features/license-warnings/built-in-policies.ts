import { builtInTemplateNames, findBuiltInTemplate } from '@multi-drm/policy';
import type { NamedPolicy } from './license-warnings';

/** The built-in policy templates. */
export const builtInPolicies: readonly NamedPolicy[] = builtInTemplateNames.map((name) => {
  const { maximumHeight = 4320, tracks = [] } = findBuiltInTemplate(name) ?? {};
  return { name, maximumHeight, tracks };
});
