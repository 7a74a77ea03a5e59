/** The JSON value in a text. Undefined: it is not JSON, as the pages of proxies between. The parser's message quotes the text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
