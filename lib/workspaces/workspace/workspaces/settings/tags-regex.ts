/**
 * Whether a text is a regular expression. It is compiled and never matched here, whatever it would cost: agents and hosts of repositories
 * match it. They write a few things otherwise than this engine: flags at the beginning, names of groups, and groups that do not go back.
 */
export function isRegularExpression(text: string): boolean {
  const here = text
    .replace(/^\(\?[imsx-]+\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll('(?>', '(?:');
  try {
    return new RegExp(here) !== undefined;
  } catch {
    return false;
  }
}
