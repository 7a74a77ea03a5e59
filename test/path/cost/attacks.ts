/** A value of about this many characters of JSON, meant to be more expensive to read than to send. */
export type Attack = (characters: number) => unknown;

const times = (characters: number, text: string): string =>
  text.repeat(Math.max(1, Math.floor(characters / text.length)));
const list = (characters: number, one: unknown): unknown[] =>
  Array(Math.max(1, Math.floor(characters / (JSON.stringify(one).length + 1)))).fill(one);
const map = (characters: number, value: unknown): object =>
  Object.fromEntries(
    Array.from({ length: Math.floor(characters / (JSON.stringify(value).length + 10)) }, (_, index) => [
      `k${index}`,
      value,
    ]),
  );

/** Starts that lead to closer checks, and endless continuations of them. */
const begun = [
  ['', '-----BEGIN CERTIFICATE-----'],
  ['', '-----BEGIN CERTIFICATE----------END CERTIFICATE-----'],
  ['-----BEGIN RSA PRIVATE KEY-----', '\n'],
  ['https://a.example/', '/'],
  ['https://', 'a.'],
  ['https://[', '0:'],
  ['http://a@', '@'],
  ['', '{{ .Mount | lowercase }}'],
  ['{{', ' .a | replace "a" "b"'],
  ['', '{{'],
  ['{"type":"service_account","private_key":"', '-----BEGIN'],
  ['{"a":', '['],
  ['arn:aws:iam::123456789012:role/', 'a/'],
  ['a', '-'],
  ['', '1h'],
  ['', '1'],
  ['1', '.1'],
  ['', ' '],
  [' a', ' \t'],
  ['', '/'],
  ['', '../'],
  ['', '*'],
  ['', 'a=b,'],
  ['', ','],
  ['', '0.0.0.0/0,'],
  ['', '::/0,'],
  ['', '0:'],
  ['', '%2f'],
  ['', '\\'],
  ['', '\u00e9\u0301'],
  ['', '\u{1f600}'],
] as const;

export const attacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    begun.map(([start, text]) => [
      `${JSON.stringify(start)} and ${JSON.stringify(text)} again and again`,
      (characters: number) => `${start}${times(characters, text)}!`,
    ]),
  ),
  'a list of numbers': (characters) => list(characters, 1),
  'a list of numbers that are none': (characters) => list(characters, 'x'),
  'a list of pairs': (characters) => list(characters, 'a=b'),
  'a list of blocks': (characters) => list(characters, '10.0.0.0/8'),
  'a list of long texts': (characters) => list(characters, times(1_000, '0:')),
  'a list of lists': (characters) => list(characters, []),
  'a list of objects': (characters) => list(characters, { a: 1 }),
  'a map of texts': (characters) => map(characters, 'x'),
  'a map of numbers': (characters) => map(characters, 1),
  'a map of objects': (characters) => map(characters, {}),
  'a map of nulls': (characters) => map(characters, null),
  'a map with a long key': (characters) => ({ [times(Math.min(characters, 60_000), 'k')]: 'x' }),
};
