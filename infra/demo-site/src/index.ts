export { type DemoKey, demoKeys } from './clip/demo-keys';
export {
  type DemoManifestUrls,
  type DemoSite,
  type DemoSiteOptions,
  demoManifestUrls,
  startDemoSite,
} from './demo-site';
export type { DemoCustomer } from './playback-client';
