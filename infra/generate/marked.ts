/**
 * Replaces the content between the line with `generated: <name>` and the line with `end of <name>`.
 * @throws Error if the text has no such lines
 */
export function replaceMarked(text: string, name: string, content: string): string {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => line.includes(`generated: ${name} `));
  const end = lines.findIndex((line, index) => index > begin && line.includes(`end of ${name}`));
  if (begin < 0 || end < 0) throw new Error(`there is no part that is marked as "generated: ${name}"`);
  return [...lines.slice(0, begin + 1), content, ...lines.slice(end)].join('\n');
}
