import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';
import { type Constants, constantsOf, constantText, type SyntaxNode, visit } from './constant-text';

/** A regular expression of the shipped sources. */
export interface FoundExpression {
  /** From the repository's root; of a document its name. */
  file: string;
  /** As a literal has it between its slashes; where it is made of what no source says, the code that makes it. */
  source: string;
  flags: string;
  /** Whether `source` is code, of an expression that is made while the service runs. */
  isMade: boolean;
}

const notShipped = new Set(['node_modules', 'dist', 'generated', 'testing']);

/** Every regular expression of the sources below the `src` folders of these folders, tests left out. */
export function expressionsOf(root: string, folders: string[]): FoundExpression[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name, 'src')))
    .flatMap(shippedFiles)
    .flatMap((path) => expressionsIn(readFileSync(path, 'utf8'), relative(root, path)));
}

function shippedFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notShipped.has(entry.name) ? [] : shippedFiles(path);
    return /(?<!\.test)\.(?:ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** The regular expressions of one source: literals, and what `RegExp` is called with. */
export function expressionsIn(source: string, file: string): FoundExpression[] {
  const module = parseSync(source, { syntax: 'typescript' });
  const constants = constantsOf(module);
  const found: FoundExpression[] = [];
  visit(module, (node) => {
    const expression = literal(node, file) ?? made(node, { source, file, constants, start: module.span.start });
    if (expression !== undefined) found.push(expression);
  });
  return found;
}

function literal({ type, pattern, flags }: SyntaxNode, file: string): FoundExpression | undefined {
  return type === 'RegExpLiteral' ? { file, source: String(pattern), flags: String(flags), isMade: false } : undefined;
}

interface Place {
  source: string;
  file: string;
  constants: Constants;
  /** Where SWC counts the source from: it numbers the bytes of all sources that it has parsed. */
  start: number;
}

function made(node: SyntaxNode, { source, file, constants, start }: Place): FoundExpression | undefined {
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  if (!isCall || (node.callee as SyntaxNode).value !== 'RegExp') return undefined;
  const [pattern, flags] = node.arguments as { expression: SyntaxNode & { span: { start: number; end: number } } }[];
  const text = constantText(pattern?.expression, constants);
  const flagsText = flags === undefined ? '' : constantText(flags.expression, constants);
  if (text !== undefined && flagsText !== undefined) return { file, source: text, flags: flagsText, isMade: false };
  const { span } = node as unknown as { span: { start: number; end: number } };
  const code = Buffer.from(source)
    .subarray(span.start - start, span.end - start)
    .toString();
  return { file, source: code, flags: '', isMade: true };
}

/** The patterns of an OpenAPI document, which its validator compiles with the flag `u`. */
export function patternsOf(document: object, name: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [member, inside] of Object.entries(value)) {
      if (member === 'pattern' && typeof inside === 'string') {
        found.push({ file: name, source: inside, flags: 'u', isMade: false });
      }
      look(inside);
    }
  };
  look(document);
  return found;
}
