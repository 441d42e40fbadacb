import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstallFaketime } from '@multi-drm/local/faketime-library';

/** The wall clock of a program that libfaketime shifts while it runs. Its monotonic clock stays. */
export class ShiftedClock {
  private constructor(
    private readonly file: string,
    /** Of the program. */
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Installs libfaketime if needed. `folder`: where the shift is written. */
  static async prepare(folder: string): Promise<ShiftedClock> {
    const library = await findOrInstallFaketime(new AbortController().signal);
    const file = join(folder, 'clock-shift');
    const clock = new ShiftedClock(file, {
      ...process.env,
      // With the C library before jemalloc, which Redis uses: jemalloc asks for the time before libfaketime is ready.
      LD_PRELOAD: `${library}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    clock.shiftTo(0);
    return clock;
  }

  /** Sets the clock this many seconds ahead of the machine's, or behind it. */
  shiftTo(seconds: number): void {
    writeFileSync(`${this.file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.file}.next`, this.file);
  }
}
