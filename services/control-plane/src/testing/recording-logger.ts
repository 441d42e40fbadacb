import { createLogger, type Logger } from '@multi-drm/service-kit';
import { keptLog } from '@multi-drm/test-kit';

export interface LogEntry {
  level: keyof Logger;
  message: string;
  fields: Record<string, unknown>;
}

/** A logger that appends entries to `log`, and writes them to the log that the test run keeps. */
export function recordingLogger(log: LogEntry[]): Logger {
  const written = createLogger({ service: 'control-plane', level: 'debug', stream: keptLog() });
  const at =
    (level: LogEntry['level']) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      log.push({ level, message, fields });
      written[level](message, fields);
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
