// What is generated from the problem registry: the codes in the OpenAPI documents, and the tables of docs/errors.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Loads a file of the package that imports nothing but types. Returns its exports. */
function load(root, path) {
  const source = readFileSync(join(root, path), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const module = { exports: {} };
  new Function('module', 'exports', outputText)(module, module.exports);
  return module.exports;
}

/** Reads the problem codes of both services, and what callers should do about each, from a package's `src/problems`. */
export function loadProblems(root) {
  const { controlPlaneProblems, playbackProblems } = load(root, 'src/problems/registry.ts');
  const { controlPlaneGuidance, playbackGuidance } = load(root, 'src/problems/guidance.ts');
  return {
    'control-plane': { problems: controlPlaneProblems, guidance: controlPlaneGuidance },
    playback: { problems: playbackProblems, guidance: playbackGuidance },
  };
}

/** Adds the codes to the schema `ProblemCode` of a bundled document. */
export function addProblemCodes(document, { problems }) {
  document.components.schemas.ProblemCode.enum = Object.keys(problems);
}

/** Replaces the tables of docs/errors.md, each between a pair of comments. */
export function writeErrorsPage(path, { playback, 'control-plane': controlPlane }) {
  const tables = {
    playback: table(
      ['Code', 'Status', 'Retryable', 'What to do'],
      byStatus(playback).map(([code, problem]) => [...beginning(code, problem), playback.guidance[code].whatToDo]),
    ),
    viewers: table(
      ['Code', 'Who must act', 'Message for the viewer'],
      byStatus(playback).map(([code]) => {
        const { whoActs, toViewers } = playback.guidance[code];
        return [`\`${code}\``, whoActs, toViewers];
      }),
    ),
    'control-plane': table(
      ['Code', 'Status', 'Retryable', 'What to do'],
      byStatus(controlPlane).map(([code, problem]) => [...beginning(code, problem), controlPlane.guidance[code]]),
    ),
  };
  let text = readFileSync(path, 'utf8');
  for (const [name, rows] of Object.entries(tables)) {
    const [start, end] = [`<!-- generated: ${name} -->\n`, '<!-- end -->'];
    const from = text.indexOf(start) + start.length;
    text = `${text.slice(0, from)}\n${rows}\n\n${text.slice(text.indexOf(end, from))}`;
  }
  writeFileSync(path, text);
}

const byStatus = ({ problems }) => Object.entries(problems).sort(([, one], [, other]) => one.status - other.status);

const beginning = (code, { status, retryable }) => [`\`${code}\``, String(status), retryable ? 'yes' : 'no'];

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
