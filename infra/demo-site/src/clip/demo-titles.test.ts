import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoTitles } from './demo-titles';

test('getting started names every title with its content id and its keys', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/getting-started.md'), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  for (const { contentId, title, keys } of demoTitles) {
    expect(rows).toContainEqual(['', title, contentId, 'video', keys.video.keyId, keys.video.key, '']);
    expect(rows).toContainEqual(['', '', '', 'audio', keys.audio.keyId, keys.audio.key, '']);
  }
});

test('no two titles share a key', () => {
  const keys = demoTitles.flatMap((title) => Object.values(title.keys));
  for (const part of ['keyId', 'key'] as const) expect(new Set(keys.map((each) => each[part])).size).toBe(keys.length);
});
