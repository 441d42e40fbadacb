/** A number that a variable of the environment makes smaller, for a trial. */
const numberOf = (variable: string, full: number): number => Number(process.env[variable] ?? full);

/** How many sessions a scenario of events starts. */
export const sessionsOfScenario = numberOf('FAULTS_SESSIONS', 100_000);

/** How many seconds a load of events lasts. */
export const secondsOfLoad = numberOf('FAULTS_SECONDS', 60);

/** How many events are stored as a backlog. */
export const eventsOfBacklog = numberOf('FAULTS_EVENTS', 200_000);

/** How many events are delivered to a receiver that fails often. */
export const eventsToDeliver = numberOf('FAULTS_DELIVERIES', 10_000);
