/** After all suites: stops what the global setup started. Jest asks for a default export. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestEnvironment?.();
}
