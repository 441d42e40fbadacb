import { closeSync, openSync, readSync } from 'node:fs';
import { formsOf } from './secret-forms';
import type { Secret, SecretKind } from './secret-kinds';

/** A secret in plain text. */
export interface Finding {
  kind: SecretKind;
  /** Offset and length in bytes. */
  at: number;
  length: number;
}

interface Pattern {
  kind: SecretKind;
  bytes: Buffer;
}

/** The number of first bytes whose hash is used to look up a pattern. */
const windowLength = 8;
const filterBits = 24;
const chunkLength = 16 * 1024 * 1024;

/** Searches for thousands of secrets in all their forms in one pass. */
export class SecretSearch {
  /** One bit for each hash, set if a pattern starts with it. */
  private readonly filter = new Uint8Array(2 ** (filterBits - 3));
  private readonly byWindow = new Map<string, Pattern[]>();
  private readonly longest: number;

  constructor(secrets: readonly Secret[]) {
    let longest = windowLength;
    for (const { kind, value } of secrets) {
      for (const bytes of formsOf(value)) {
        const window = bytes.toString('latin1', 0, windowLength);
        const alike = this.byWindow.get(window);
        if (alike === undefined) this.byWindow.set(window, [{ kind, bytes }]);
        else alike.push({ kind, bytes });
        const hash = hashOf(bytes.readInt32BE(0), bytes.readInt32BE(4));
        this.filter[hash >>> 3] = (this.filter[hash >>> 3] ?? 0) | (1 << (hash & 7));
        longest = Math.max(longest, bytes.length);
      }
    }
    this.longest = longest;
  }

  /** Returns every occurrence in the bytes. */
  find(bytes: Buffer): Finding[] {
    const { filter } = this;
    const findings: Finding[] = [];
    let [high, low] = [0, 0];
    for (let end = 0; end < bytes.length; end += 1) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (bytes[end] ?? 0);
      const hash = hashOf(high, low);
      if (((filter[hash >>> 3] ?? 0) & (1 << (hash & 7))) === 0) continue;
      const at = end - windowLength + 1;
      if (at >= 0) findings.push(...this.patternsAt(bytes, at));
    }
    return findings;
  }

  /** Returns every occurrence in a file of any size. */
  findInFile(file: string): Finding[] {
    const findings: Finding[] = [];
    const descriptor = openSync(file, 'r');
    try {
      const chunk = Buffer.allocUnsafe(chunkLength + this.longest);
      // Chunks overlap by the longest pattern; matches that start in the overlap belong to the next chunk.
      for (let start = 0; ; start += chunkLength) {
        const length = readSync(descriptor, chunk, 0, chunk.length, start);
        for (const { at, ...rest } of this.find(chunk.subarray(0, length))) {
          if (at < chunkLength) findings.push({ ...rest, at: start + at });
        }
        if (length < chunk.length) return findings;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  private patternsAt(bytes: Buffer, at: number): Finding[] {
    const alike = this.byWindow.get(bytes.toString('latin1', at, at + windowLength)) ?? [];
    return alike
      .filter((pattern) => bytes.subarray(at, at + pattern.bytes.length).equals(pattern.bytes))
      .map(({ kind, bytes: { length } }) => ({ kind, at, length }));
  }
}

// Looked up once, because it is called for each byte.
const { imul } = Math;

function hashOf(high: number, low: number): number {
  return (imul(low, 0x9e3779b1) ^ imul(high, 0x85ebca77)) >>> (32 - filterBits);
}
