/** A segment of a row's pattern. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

/** What a `:name` parameter takes: it neither begins nor ends with `-` or `.`. */
export const nameRule = /^\w(?:[\w.-]*\w)?$/;

/**
 * Reads a pattern such as `versions/:name` or `data/*path`. A pattern that ends in `/` has an empty last literal.
 *
 * @throws Error when the pattern cannot be meant: it is a mistake in the program.
 */
export function parsePattern(pattern: string): readonly Segment[] {
  const segments = pattern.split('/').map(segmentOf);
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment.kind === 'rest' && !last) throw new Error(`pattern ${pattern}: *${segment.name} has to be the last`);
    if (segment.kind === 'literal' && segment.text === '' && !last)
      throw new Error(`pattern ${pattern}: empty segment`);
  });
  const names = parameterNames(segments);
  if (new Set(names).size < names.length) throw new Error(`pattern ${pattern}: a parameter stands twice`);
  return segments;
}

/** Names of the parameters, in order. */
export function parameterNames(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]));
}

function segmentOf(text: string): Segment {
  const kind = text.startsWith(':') ? 'name' : text.startsWith('*') ? 'rest' : undefined;
  if (kind === undefined) return { kind: 'literal', text };
  if (!/^\w+$/.test(text.slice(1))) throw new Error(`pattern segment ${text}: the parameter has no proper name`);
  return { kind, name: text.slice(1) };
}
