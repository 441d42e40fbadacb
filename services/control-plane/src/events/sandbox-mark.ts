/** Whether an event is of the sandbox: its subject asked for a refusal. Such events are marked, and usage leaves them out. */
export interface SandboxMark {
  sandbox?: boolean;
}

/** What `data` of a marked event has in addition. */
export function dataOfMark({ sandbox = false }: SandboxMark): { sandbox?: true } {
  return sandbox ? { sandbox: true } : {};
}
