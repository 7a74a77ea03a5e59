/** How the body that follows a request's head is delimited. `unclear`: leave the rest of the connection to the parser. */
export type BodyFraming =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'unclear' };

const headers = /\r\n(content-length|transfer-encoding):[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi;
/** Folded lines, line ends without CR, methods and versions after which other rules hold. */
const unusual = /\r\n[ \t]|(?:^|[^\r])\n|^(?:CONNECT|PRI) |HTTP\/1\.0\r\n/;

/**
 * Reads the framing from a whole head (request line to the empty line, Latin-1) as RFC 9112 section 6.3 says. Whatever
 * a strict parser refuses, and HTTP/1.0, is `unclear`: then nothing on the connection is touched any more.
 */
export function bodyFraming(head: string): BodyFraming {
  if (unusual.test(head)) return { kind: 'unclear' };
  const lengths: string[] = [];
  const codings: string[] = [];
  for (const [, name = '', value = ''] of head.matchAll(headers)) {
    (name.length === 'content-length'.length ? lengths : codings).push(value);
  }
  const [length, ...moreLengths] = lengths;
  const [coding, ...moreCodings] = codings;
  if (moreLengths.length + moreCodings.length > 0) return { kind: 'unclear' };
  if (coding === undefined) return lengthFraming(length);
  return length === undefined && coding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : { kind: 'unclear' };
}

function lengthFraming(length: string | undefined): BodyFraming {
  if (length === undefined) return { kind: 'length', bytes: 0 };
  return /^\d{1,15}$/.test(length) ? { kind: 'length', bytes: Number(length) } : { kind: 'unclear' };
}
