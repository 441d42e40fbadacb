import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import { findPlan, nearLimitFrom, type PlanLimitName } from '../../plans/plans';
import { countContentOfOrganization } from '../../stores/content-assets';
import { countEnvironments, type EnvironmentScope } from '../../stores/environments';
import { countProjects } from '../../stores/projects';

type PlanLimitUse = ControlPlaneSchemas['PlanLimitUse'];

/** The limits of the plan that concern an environment, and how much of each is used. Throws `service_unavailable` without Redis. */
export async function readPlanLimits(
  database: Database,
  sessionSlots: Pick<SessionSlots, 'countStreams'>,
  { projectId, organizationId, planId }: EnvironmentScope,
): Promise<PlanLimitUse[]> {
  const limits = findPlan(planId)?.limits;
  const concurrentStreams = limits?.concurrentStreams ?? null;
  return [
    use('projects', await countProjects(database, organizationId), limits?.projects ?? null),
    use('environmentsPerProject', await countEnvironments(database, projectId), limits?.environmentsPerProject ?? null),
    use('contentAssets', await countContentOfOrganization(database, organizationId), limits?.contentAssets ?? null),
    // Without a limit, playback does not count the streams of the organization.
    use(
      'concurrentStreams',
      concurrentStreams === null ? null : await sessionSlots.countStreams(organizationId),
      concurrentStreams,
    ),
  ];
}

function use(name: PlanLimitName, used: number | null, limit: number | null): PlanLimitUse {
  const isNear = used !== null && limit !== null && used >= limit * nearLimitFrom;
  const status = !isNear ? 'below' : used < limit ? 'near' : 'reached';
  return { name, used, limit, status };
}
