import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A fenced block of a page that shows a shell command. */
export interface ShellBlock {
  /** From the root of the repository. */
  readonly page: string;
  /** Of its fence, counted from 1. */
  readonly line: number;
  /** What follows the three backticks. */
  readonly info: string;
  readonly code: string;
  /** What the test runs first, in the same shell: the comment `<!-- run before: … -->` before the fence. */
  readonly before: string;
  /** Why the test does not run it: the comment `<!-- not run: … -->` on the line before its fence. */
  readonly reason: string | undefined;
}

const shellWords = ['sh', 'bash', 'shell', 'console', 'shell-session'];

/** All blocks of a page that are marked as commands, or that call curl without a mark. */
export function shellBlocks(page: string, markdown: string): readonly ShellBlock[] {
  const lines = markdown.split('\n');
  const blocks: ShellBlock[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^```(.*)$/.exec(lines[index] ?? '');
    if (fence === null) continue;
    const end = lines.indexOf('```', index + 1);
    if (end < 0) throw new Error(`${page}:${index + 1} is never closed`);
    const info = fence[1] ?? '';
    const code = lines.slice(index + 1, end).join('\n');
    const before =
      /<!-- run before:\n([\s\S]*?)\n-->$/.exec(lines.slice(0, index).join('\n').split('```').at(-1) ?? '')?.[1] ?? '';
    const reason = /^<!-- not run: (.+) -->$/.exec(lines[index - 1] ?? '')?.[1];
    if (shellWords.includes(info.split(' ')[0] ?? '') || /^curl /m.test(code))
      blocks.push({ page, line: index + 1, info, code, before, reason });
    index = end;
  }
  return blocks;
}

/** The shell blocks of the README and of every page in `docs/`. */
export async function allShellBlocks(): Promise<readonly ShellBlock[]> {
  const entries = await readdir(join(root, 'docs'), { recursive: true });
  const pages = ['README.md', ...entries.filter((entry) => entry.endsWith('.md')).map((entry) => `docs/${entry}`)];
  const found = pages.toSorted().map(async (page) => shellBlocks(page, await readFile(join(root, page), 'utf8')));
  return (await Promise.all(found)).flat();
}
