/** Whether a path matches a glob. */
export type Glob = (path: string) => boolean;

type Token = string | typeof one | typeof some | typeof all;

/** One character, any number of characters, both without slashes; any number of any characters. */
const [one, some, all] = [Symbol('?'), Symbol('*'), Symbol('**')];

/**
 * Compiles a glob: `?` and `*` stand for one and for any number of characters within a segment, `**` for any number of characters with
 * slashes. A match takes at most as many steps as the path has characters times the glob has tokens, whatever they are: a regular
 * expression with several wildcards may take far longer.
 */
export function compileGlob(text: string): Glob {
  const tokens = tokensOf(text);
  return (path) => {
    let places = behindWildcards(tokens, new Set([0]));
    for (const character of path) {
      if (places.size === 0) return false;
      places = behindWildcards(tokens, after(tokens, places, character));
    }
    return places.has(tokens.length);
  };
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [part] of text.matchAll(/\*{2,}|[\s\S]/gu)) {
    if (part.startsWith('**')) tokens.push(all);
    else tokens.push(part === '*' ? some : part === '?' ? one : part);
  }
  return tokens;
}

function after(tokens: readonly Token[], places: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const place of places) {
    const token = tokens[place];
    if (token === all || (token === some && character !== '/')) next.add(place);
    else if (token === character || (token === one && character !== '/')) next.add(place + 1);
  }
  return next;
}

/** A wildcard for any number of characters may also stand for none. */
function behindWildcards(tokens: readonly Token[], places: Set<number>): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token === all || token === some) places.add(place + 1);
  }
  return places;
}
