export { allowedKeys } from './allowed-keys';
export { missingAudio, playableTracks, rulesByTrackType } from './allowed-tracks';
export { outsideWindow } from './availability';
export { builtInTemplates, findBuiltInTemplate } from './built-in-templates';
export { noSessionsForDocuments } from './check-eligibility';
export type { LicenseRefusal, PlannedLicense } from './check-license-backend';
export { checkStillAllowed } from './check-still-allowed';
export { type Decision, decidePlayback, type PlaybackFacts } from './decide-playback';
export { type Refusal, type RefusedRule, type Step, stepOf } from './decision-step';
export { type FindTemplate, layerPolicyOf } from './policy-layer';
export type { ResolvedPolicy } from './resolved-policy';
export {
  checkSandbox,
  hasSandbox,
  readSandboxSubject,
  type SandboxOperation,
  sandboxSubjects,
} from './sandbox';
export { type ManifestSelection, selectManifests } from './select-manifests';
export { type SignedPolicy, signedPolicy } from './signed-policy';
export { effectiveStreamLimit, streamLimitStep } from './stream-limit-step';
export { strictestRules } from './strictest-rules';
export type { TrackType, TrackTypeHeights } from './track-heights';
