import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { problemRegistry } from '@multi-drm/contracts';
import { type ChildCommand, runToEnd } from '@multi-drm/local/child-process';
import { repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine, ReadableFailure } from '@multi-drm/local/terminal-output';
import { installTools } from '@multi-drm/local/tools';
import { deadLinks } from './checks/dead-links';
import { loadedFromElsewhere } from './checks/loaded-from-elsewhere';
import { notFoundBySearch } from './checks/not-found-by-search';
import { originOf, webAddress } from './repository-address';
import { writePages } from './write-pages';

const usage = `usage: npm run site [-- --serve] [--repository <address>]
Builds the documentation site in infra/site/dist and checks it. --serve: then serves it on this machine until Ctrl-C.
--repository: where its source files are on the web, such as https://github.com/owner/name; by default the git remote "origin".`;

/** A workspace of its own, installed only for this command. */
const tools = join(__dirname, '../tools');
const site = join(__dirname, '../dist');

/** `npm run site`: builds the documentation site and checks it. Resolves to the exit code. */
export async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) return 2;
  if (options.help) {
    printLine(usage);
    return 0;
  }
  const repository = webAddress(options.repository ?? originOf(repositoryFolder) ?? '');
  if (repository === undefined) {
    printLine('The repository is not on the web: source files that pages link to are copied. See --help.');
  }
  const stop = watchForStop();
  const run = (command: ChildCommand['command'], output: ChildCommand['output'] = 'inherit') =>
    runTool(command, output, stop);
  installTools(tools);
  writePages({
    repositoryFolder,
    repository,
    pagesFolder: join(tools, 'dist/pages'),
    navigationFile: join(tools, 'dist/navigation.json'),
  });
  await run(vitepress('build'));
  const codes = Object.keys(problemRegistry);
  const results = await run([process.execPath, 'search.mjs', site, ...codes], 'capture-standard-output');
  const faults = [
    ...deadLinks(site, repositoryFolder, repository).map((link) => `Dead link: ${link}`),
    ...loadedFromElsewhere(site).map((what) => `Loaded from elsewhere: ${what}`),
    ...notFoundBySearch(codes, JSON.parse(results)).map((code) => `Not found by the search: ${code}`),
  ];
  for (const fault of faults) printLine(fault);
  if (faults.length > 0) return 1;
  printLine(
    `The site is in ${site}. It has no dead link, loads nothing from elsewhere, and its search finds every problem code.`,
  );
  if (options.serve) await run(vitepress('preview'));
  return 0;
}

/** The options of the command; undefined, after a message, if it does not know one. */
function readOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        serve: { type: 'boolean', default: false },
        repository: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n${usage}`);
    return undefined;
  }
}

const vitepress = (...args: string[]): ChildCommand['command'] => [
  process.execPath,
  'node_modules/vitepress/bin/vitepress.js',
  ...args,
];

/** Runs a program in the folder of the tools; resolves to its output, if it is captured. Throws if it fails. */
async function runTool(
  command: ChildCommand['command'],
  output: ChildCommand['output'],
  stop: AbortSignal,
): Promise<string> {
  const environment = { ...process.env, CI: 'true' };
  const { code, standardOutput } = await runToEnd(
    { name: command[0], command, folder: tools, environment, output },
    stop,
  );
  if (code !== 0) throw new ReadableFailure(`${command.join(' ').slice(0, 200)} ended with ${code}.`);
  return standardOutput;
}
