export { isUtf8Text } from './backends/answers';
export type { BackendSettings } from './backends/backend-descriptor';
export { backendDescriptors } from './backends/backend-descriptors';
export { backendSettings, createBackend } from './backends/create-backend';
export type {
  BackendAnswer,
  BackendRequest,
  ContentKey,
  LicenseBackend,
  LicenseCall,
} from './backends/license-backend';
export { licenseRefusal } from './backends/license-refusal';
export { policySigner, type SignPolicy } from './backends/policy-token';
export { type SettingValues, splitSettings } from './backends/split-settings';
export { templatePolicy } from './backends/template-policy';
export { answerTypeOf } from './player-requests/answer-type';
export { readChallenge } from './player-requests/read-challenge';
export { ConnectionGate } from './transport/connection-gate';
export { LicenseTransport } from './transport/license-transport';
