/** Translates a canonical name into the reader's vocabulary. */
export type Word = (canonical: string) => string;

/** A message for the caller. A function builds it in the reader's vocabulary, where clients use other names. */
export type Message = string | ((word: Word) => string);

/** Why a request is refused, with the fields that have to change. No part of it contains a secret value. */
export interface Problem {
  /** Canonical names; empty when it does not concern single fields. */
  readonly fields: readonly string[];
  /** In the reply's `errors`, which clients compare. */
  readonly text: Message;
  /** In the reply's `problems`, which names the field beside it. Absent: `text`. */
  readonly rule?: Message;
}

/** A problem of one field, or of several that together break a rule. */
export const problemOf = (fields: string | readonly string[], text: Message, rule: Message = text): Problem => ({
  fields: typeof fields === 'string' ? [fields] : fields,
  text,
  rule,
});

/** Of fields that together break a rule, those that the request has; all of them when it has none. */
export function sentOf<Input extends object>(
  input: Input,
  names: readonly (keyof Input & string)[],
): readonly (keyof Input & string)[] {
  const sent = names.filter((name) => input[name] !== undefined);
  return sent.length === 0 ? names : sent;
}

/** One field of a refused request, as a form shows it. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A problem of several fields is shown at each of them. */
export const byField = (problems: readonly Problem[], word: Word): readonly FieldProblem[] =>
  problems.flatMap(({ fields, text, rule = text }) =>
    fields.map((field) => ({ field: word(field), message: inWords(rule, word) })),
  );

export const inWords = (message: Message, word: Word): string =>
  typeof message === 'string' ? message : message(word);
