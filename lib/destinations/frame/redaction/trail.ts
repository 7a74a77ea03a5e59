import { framesOf } from '#core/log/stack.ts';

const linksMax = 4;
const framesMax = 3;

/**
 * The classes and origins of the errors behind a failure, as lines for the log. Messages are left out: they may quote input that
 * could not be parsed, which may be a secret of another party.
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
