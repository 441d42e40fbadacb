import { type ControlPlaneSchemas, drmSystems } from '@multi-drm/contracts';

export type Plan = ControlPlaneSchemas['PlanCatalogResponse']['plans'][number];
/** The limits of a plan that apply to creating records. Playback enforces `concurrentStreams`. */
export type PlanLimitName = keyof Plan['limits'];

/** From this part of a limit on, its use is near it. */
export const nearLimitFrom = 0.8;

/** The subscription plans. Null: no limit. The first one is the default. */
export const plans: readonly [Plan, ...Plan[]] = [
  {
    planId: 'developer',
    name: 'Developer',
    description: 'For building and testing an integration.',
    selfService: true,
    limits: { projects: 20, environmentsPerProject: 3, contentAssets: 1_000, concurrentStreams: 100 },
    drmSystems: [...drmSystems],
  },
  {
    planId: 'business',
    name: 'Business',
    description: 'For services with viewers.',
    selfService: true,
    limits: { projects: 100, environmentsPerProject: 5, contentAssets: 100_000, concurrentStreams: 10_000 },
    drmSystems: [...drmSystems],
  },
  {
    planId: 'enterprise',
    name: 'Enterprise',
    description: 'Without limits, by agreement with the operator.',
    selfService: false,
    limits: { projects: null, environmentsPerProject: null, contentAssets: null, concurrentStreams: null },
    drmSystems: [...drmSystems],
  },
];

/** The plan with this id; undefined if there is none. */
export function findPlan(planId: string): Plan | undefined {
  return plans.find((plan) => plan.planId === planId);
}
