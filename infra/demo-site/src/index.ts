export { type DemoTitle, demoTitles } from './clip/demo-titles';
export {
  type DemoManifestUrls,
  type DemoSite,
  type DemoSiteOptions,
  demoManifestUrls,
  startDemoSite,
} from './demo-site';
export { readPageWords } from './page-words';
export type { DemoCustomer } from './playback-client';
