import { objectOf, type Reply, type Sent } from './exchange.ts';
import { type Described, fieldsOf } from './operations.ts';
import { filled } from './samples.ts';

/** A request and what is wrong with it. */
export interface Mistake extends Pick<Sent, 'path' | 'body'> {
  readonly of: Described;
  /** The field with the mistake; undefined when none of its own is wrong. */
  readonly field?: string;
}

/** Refusals that no field of the request causes, so they have no `problems` even when a field is wrong, each with its reason. */
const withoutFields: readonly (readonly [text: RegExp, reason: string])[] = [
  [/no mount there$|^unknown audit backend/, 'the path names something that does not exist'],
  [/^(the service|Vault) is already initialized$/, 'the state of the service'],
  [/^rekeying applies to key shares|has an automatic seal|has recovery keys instead/, 'the type of the seal'],
  [
    /^(rekey|root generation) already in progress$|^no (rekey|root generation|rekey verification) in progress$/,
    'an attempt',
  ],
  [/^the token has no entity/, 'the token of the caller'],
  [/^invalid lease ID$/, 'the token of the caller does not expire, so it cannot be renewed'],
];

/** Judges the `problems` of answers. Rows whose paths match the same request answer for each other's fields. */
export function fieldJudge(operations: readonly Described[]): (reply: Reply, mistake: Mistake) => string | undefined {
  const fields = Map.groupBy(operations, ({ path }) => filled(path));
  return (reply, mistake) => {
    const rows = fields.get(filled(mistake.of.path)) ?? [];
    return problemWithFields(reply, mistake, new Set(rows.flatMap(fieldsOf)));
  };
}

/**
 * The problem with the `problems` of an answer: they name fields of the row, or names that the request has instead, and the refusal
 * of a value has some.
 */
export function problemWithFields(
  { status, text }: Reply,
  { field: wrong, path, body = '' }: Omit<Mistake, 'of'>,
  known: ReadonlySet<string>,
): string | undefined {
  if (status !== 400) return undefined;
  const { errors, problems = [] } = objectOf(text) ?? {};
  if (!Array.isArray(problems)) return `problems that are not a list: ${text.slice(0, 200)}`;
  if (problems.length === 0) {
    const isAllowed = withoutFields.some(([allowed]) => allowed.test(String(errors)));
    return wrong === undefined || isAllowed ? undefined : `no problems: ${text.slice(0, 200)}`;
  }
  const sent = `${path} ${body}`;
  const isSent = (name: string) =>
    sent.includes(JSON.stringify(name).slice(1, -1)) || sent.includes(encodeURIComponent(name));
  const foreign = problems
    .map(({ field }) => String(field))
    .find((name) => !known.has(name.split('.', 1)[0] ?? '') && !known.has(name) && !isSent(name));
  return foreign === undefined ? undefined : `a problem of ${JSON.stringify(foreign)}: ${text.slice(0, 200)}`;
}
