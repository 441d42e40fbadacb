// Loaded with --require before a program of the workspace, so that Node runs its TypeScript. It starts in half the time of tsx,
// which also processes every JavaScript file. Each file is compiled once per test run. The cache is keyed by the file's
// content, so that it is never stale.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { keepCode } = require('./kept-code.cjs');

const folder = process.env.TEST_FOLDER && join(process.env.TEST_FOLDER, 'compiled');
if (folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [, program = ''] = process.argv;
  keepCode(join(folder, createHash('sha256').update(program).digest('hex')));
}

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const compiled = folder && join(folder, createHash('sha256').update(filename).update(source).digest('hex'));
  module._compile((compiled && readIfThere(compiled)) || compile(filename, source, compiled), filename);
};

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function compile(filename, source, compiled) {
  const { code } = require('@swc/core').transformSync(source, {
    filename,
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  if (compiled) {
    // Written atomically, because several processes may write it at once.
    const own = `${compiled}.${process.pid}`;
    writeFileSync(own, code);
    renameSync(own, compiled);
  }
  return code;
}
