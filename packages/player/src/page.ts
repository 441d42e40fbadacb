type Listener = (event: { persisted?: boolean }) => void;

/** What a session keeper uses of the browser's window, which tests replace. */
export interface Page {
  fetch: typeof fetch;
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  performance: { now(): number };
  navigator: { sendBeacon(url: string, body: string): boolean };
  document: { readonly hidden: boolean };
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
}

/** The window of this page. */
export const thisPage = globalThis as unknown as Page;
