// Keeps what Node and V8 find out while they load a program of a test run, where modules are and their compiled code, as suites start the
// same few programs many times, and loading them takes most of the processor time of a start. The files must not change meanwhile.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, enableCompileCache, Module } = require('node:module');
const { dirname } = require('node:path');
const { constants, Script } = require('node:vm');

/** V8 copies code that is not aligned. */
const alignment = 8;
const aligned = (length) => Math.ceil(length / alignment) * alignment;

/** Uses what is in the file. If there is no such file, writes it when the process ends, unless the process is killed. */
exports.keepCode = (file) => {
  if (enableCompileCache !== undefined) {
    enableCompileCache(`${file}-code`);
    return;
  }
  const known = readKept(file);
  const places = known?.places ?? {};
  const scripts = new Map();
  const { _resolveFilename: resolve } = Module;
  const { _compile: compile } = Module.prototype;

  Module._resolveFilename = (request, parent, isMain, options) => {
    if (typeof parent?.filename !== 'string' || options !== undefined) {
      return resolve(request, parent, isMain, options);
    }
    const key = `${dirname(parent.filename)}\0${request}`;
    places[key] ??= resolve(request, parent, isMain);
    return places[key];
  };

  // What Node does with a CommonJS module, except that before version 22 it has no way to give compiled code to V8.
  Module.prototype._compile = function compileOnce(content, filename, format) {
    if (format === 'module') return compile.call(this, content, filename, format);
    const script = new Script(Module.wrap(content.replace(/^#!.*/, '')), {
      filename,
      cachedData: known?.codeOf(filename),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    scripts.set(filename, script);
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, createRequire(filename), this, filename, dirname(filename));
  };

  if (known === undefined) process.once('exit', () => writeKept(file, places, scripts));
};

function readKept(file) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  const end = alignment + bytes.readUInt32LE();
  const { places, ranges } = JSON.parse(bytes.toString('utf8', alignment, end));
  const code = bytes.subarray(aligned(end));
  return { places, codeOf: (filename) => ranges[filename] && code.subarray(...ranges[filename]) };
}

/** The file has the length of an index in JSON, the index, and the compiled code, each aligned. */
function writeKept(file, places, scripts) {
  const ranges = {};
  const parts = [];
  let length = 0;
  const add = (part) => {
    parts.push(part, Buffer.alloc(aligned(part.length) - part.length));
    length += aligned(part.length);
  };
  for (const [filename, script] of scripts) {
    const code = script.createCachedData();
    ranges[filename] = [length, length + code.length];
    add(code);
  }
  const codes = parts.splice(0);
  const index = Buffer.from(JSON.stringify({ places, ranges }));
  const indexLength = Buffer.alloc(alignment);
  indexLength.writeUInt32LE(index.length);
  add(indexLength);
  add(index);
  // Written atomically, because several processes may write it at once.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, Buffer.concat([...parts, ...codes]), { mode: 0o600 });
  renameSync(own, file);
}
