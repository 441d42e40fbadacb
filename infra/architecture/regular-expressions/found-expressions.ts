import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';
import { type Constants, constantsOf, constantText, type SyntaxNode, visit } from './constant-text';

/** A regular expression in the shipped sources. */
export interface FoundExpression {
  /** The path from the repository's root, or the name of the document. */
  file: string;
  /** The text between the slashes of a literal; if it is not constant, the code that creates the expression. */
  source: string;
  flags: string;
  /** Whether the expression is created at run time, so that `source` is code. */
  isMade: boolean;
}

const notShipped = new Set(['node_modules', 'dist', 'generated', 'testing']);

/** Returns every regular expression in the `src` folders of these folders, except in tests. */
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

/** Returns the regular expressions in one source: literals and arguments of `RegExp`. */
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
  /** SWC's offset of the source: it numbers the bytes of all sources that it has parsed. */
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

/** Returns the patterns in an OpenAPI document, which its validator compiles with the flag `u`. */
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
