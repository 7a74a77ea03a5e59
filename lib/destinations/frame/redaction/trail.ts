import { framesOf } from '../../../core/log/stack.ts';

const linksMax = 4;
const framesMax = 3;

/**
 * What kinds of errors are behind a failure and where they came from, as lines for the log. Messages are left out: they may
 * quote what could not be read, which is not our secret and yet somebody's.
 */
export function trailOf(error: unknown): readonly string[] {
  const links: string[] = [];
  for (
    let link = error;
    link !== undefined && links.length < linksMax;
    link = link instanceof Error ? link.cause : undefined
  )
    links.push(lineOf(link));
  return links;
}

function lineOf(link: unknown): string {
  if (!(link instanceof Error)) return typeof link;
  const code =
    'code' in link && typeof link.code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(link.code) ? ` ${link.code}` : '';
  return `${link.constructor.name}${code} ${framesOf(link).slice(0, framesMax).join('').trim()}`;
}
