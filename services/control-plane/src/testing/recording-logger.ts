import type { Logger } from '@multi-drm/service-kit';

export interface LogEntry {
  level: keyof Logger;
  message: string;
  fields: Record<string, unknown>;
}

/** A logger that appends what is logged to `log`. */
export function recordingLogger(log: LogEntry[]): Logger {
  const at =
    (level: LogEntry['level']) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      log.push({ level, message, fields });
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
