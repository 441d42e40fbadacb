import { repositoryFolder, turbo } from '@multi-drm/local/repository';
import { printLine } from '@multi-drm/local/terminal-output';
import { installTools, run } from '@multi-drm/local/tools';
import { checkSizes } from './check-sizes';
import { checkTarball } from './check-tarball';
import { checkUses } from './check-uses';
import { inEmptyProject } from './empty-project';
import { pack } from './pack';
import { publicPackages } from './public-packages';
import { toolsFolder } from './tools';

/**
 * `npm run packages`: builds a tarball of each package that customers install, and checks them: with publint and Are the types wrong, by
 * compiling and loading a use of each in an empty project, and by their sizes. With the argument `lint` only the first two, which
 * `npm run check` does. Resolves to the exit code.
 */
export async function main([part]: string[]): Promise<number> {
  installTools(toolsFolder);
  // npm run check has generated it.
  if (part !== 'lint') run(turbo('generate').command, repositoryFolder);
  const tarballs = pack(publicPackages());
  const problems = tarballs.flatMap(checkTarball);
  if (part !== 'lint') {
    problems.push(...inEmptyProject(tarballs, (folder) => [...checkUses(folder, tarballs), ...checkSizes(folder)]));
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  printLine('The packages can be published:');
  for (const { path } of tarballs) printLine(`  npm publish ${path}`);
  printLine('To use one without a registry:');
  for (const { path } of tarballs) printLine(`  npm install ${path}`);
  return 0;
}
