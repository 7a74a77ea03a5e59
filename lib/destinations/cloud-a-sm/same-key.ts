/** The service may tell the ARN of a key that was given by its id or alias, and the other way round. */
export function isSameKey(one: string, other: string): boolean {
  const ends = (whole: string, part: string) => [':', '/'].some((before) => whole.endsWith(`${before}${part}`));
  return one === other || (one !== '' && other !== '' && (ends(one, other) || ends(other, one)));
}
