import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Children } from './child-process';
import { assertPortIsFree } from './ports';
import { takeLock } from './process-lock';
import { ProcessRecord } from './process-record';
import { removeQuickstart } from './quickstart-file';
import { removeEnvironmentFiles, type ServiceLauncher } from './services';
import { type LocalSettings, metricsPorts, readSettings } from './settings';
import { startEverything } from './start-everything';
import { StopRequest, untilStopRequested, watchForStop } from './stop-request';
import { printFailure, printLine } from './terminal-output';

export interface LocalRunOptions {
  environment: NodeJS.ProcessEnv;
  /** Builds what the launcher runs. */
  build(stop: AbortSignal): Promise<void>;
  launcher: ServiceLauncher;
}

/** Starts everything and runs it until this process is asked to stop; resolves to the exit code once everything has ended. */
export async function runLocally(options: LocalRunOptions): Promise<number> {
  const stop = watchForStop();
  try {
    const settings = readSettings(options.environment);
    mkdirSync(join(settings.dataFolder, 'logs'), { recursive: true, mode: 0o700 });
    const unlock = takeLock(join(settings.dataFolder, 'lock.json'), (pid) => alreadyRunning(pid, settings));
    try {
      await run(settings, options, stop);
    } finally {
      unlock();
    }
    return 0;
  } catch (error) {
    if (error instanceof StopRequest) printLine(`Stopped before everything was ready (${error.message}).`);
    else printFailure(error);
    return 1;
  }
}

async function run(settings: LocalSettings, options: LocalRunOptions, stop: AbortSignal): Promise<void> {
  const { dataFolder } = settings;
  const record = new ProcessRecord(join(dataFolder, 'processes.json'));
  const children = new Children(record);
  try {
    removeQuickstart(dataFolder);
    const leftovers = await record.stopLeftovers();
    if (leftovers.length > 0) printLine(`Stopped leftover processes of an earlier run: ${leftovers.join(', ')}`);
    await assertPortIsFree(settings.controlPlanePort, 'CONTROL_PLANE_PORT');
    await assertPortIsFree(settings.playbackPort, 'PLAYBACK_PORT');
    await assertPortIsFree(settings.demoPort, 'DEMO_PORT');
    for (const port of Object.values(metricsPorts(settings.metricsPort))) await assertPortIsFree(port, 'METRICS_PORT');
    await options.build(stop);
    const { demoSite } = await startEverything({ settings, children, launcher: options.launcher, stop });
    printLine('Ready. Ctrl-C stops everything.');
    printLine(`Stopping (${await untilStopRequested(stop)})`);
    await demoSite.close();
  } finally {
    removeQuickstart(dataFolder);
    removeEnvironmentFiles(dataFolder);
    await children.stopAll();
  }
  printLine('Stopped: nothing is left running.');
}

function alreadyRunning(pid: number, settings: LocalSettings): string {
  const { dataFolder, controlPlanePort, playbackPort, demoPort } = settings;
  const ports = `CONTROL_PLANE_PORT=${controlPlanePort + 10} PLAYBACK_PORT=${playbackPort + 10} DEMO_PORT=${demoPort + 10}`;
  return [
    `npm start is already running with the data in ${dataFolder} (process ${pid}). End it with Ctrl-C in its terminal,`,
    'or start a second one with its own data and ports:',
    `  LOCAL_DATA_DIR=.local-2 ${ports} npm start`,
  ].join('\n');
}
