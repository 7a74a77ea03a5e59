import { z } from 'zod';
import type { Operation } from './contract/row.ts';
import type { Fields } from './fields.ts';
import { fieldMeta } from './meta.ts';
import { inputProblems } from './problems.ts';
import { canonicalField } from './vocabulary.ts';

/** What a request brought, before the operation's fields were looked at. */
export interface Given {
  /** Values of the pattern's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Members of the body, or the query's parameters where the operation has no body. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The operation's input, or why there is none (texts for a 400; never the value of a sensitive field). */
export type Parsed =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>>; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export type ReadInput = (given: Given) => Parsed;

/** Everything about an operation's input that can be known before a request comes. */
export function inputReader(operation: Operation): ReadInput {
  const { fields, marks } = operation;
  const schema = z.object(fields);
  const arbitrary = marks.anyFields === true;
  const unnamed = Object.keys(fields).length === 0;
  const sensitive = namesOf(fields, (field) => fieldMeta(field).sensitive === true);
  const nullable = namesOf(fields, (field) => field.safeParse(null).success);

  return ({ parameters, data }) => {
    // Such data may have very many members, of which a copy would take long to make.
    if (arbitrary && unnamed) return { ok: true, input: data, warnings: [] };
    if (!arbitrary && Object.keys(data).length > namesMax) return tooManyFields;
    const named = arbitrary ? data : byCanonicalName(data, fields);
    const offered = withoutNulls({ ...named, ...parameters }, fields, nullable);
    const result = schema.safeParse(offered);
    if (!result.success) return { ok: false, problems: inputProblems(result.error, offered, sensitive) };
    if (arbitrary) return { ok: true, input: { ...data, ...result.data }, warnings: [] };
    const refused = refusedFields(named, fields, marks.refuses);
    if (refused.length > 0) return { ok: false, problems: refused };
    return { ok: true, input: result.data, warnings: inputWarnings(named, parameters, fields) };
  };
}

/** More names than any operation has fields. */
const namesMax = 1_000;
const tooManyFields = { ok: false, problems: [`the request has more than ${namesMax} fields`] } as const;

function namesOf(fields: Fields, test: (field: z.ZodType) => boolean): ReadonlySet<string> {
  return new Set(Object.entries(fields).flatMap(([name, field]) => (test(field) ? [name] : [])));
}

/** Existing clients know some fields by another name; a row that declares that name itself gets it untouched. */
function byCanonicalName(data: Given['data'], fields: Fields): Given['data'] {
  let renamed: Record<string, unknown> | undefined;
  for (const name of Object.keys(data)) {
    const canonical = canonicalField(name);
    if (canonical === name || name in fields || !(canonical in fields) || canonical in data) continue;
    renamed ??= { ...data };
    renamed[canonical] = data[name];
    delete renamed[name];
  }
  return renamed ?? data;
}

/** Clients in Go send `null` for what they do not set (`"options": null`), so it counts as left out unless the field takes it. */
function withoutNulls(
  offered: Record<string, unknown>,
  fields: Fields,
  nullable: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  for (const name of Object.keys(fields)) {
    if (offered[name] === null && !nullable.has(name)) delete offered[name];
  }
  return offered;
}

/** Texts of one reply. */
const refusedMax = 10;

function refusedFields(data: Given['data'], fields: Fields, refuses: Operation['marks']['refuses']): readonly string[] {
  if (refuses === undefined) return [];
  const texts = Object.entries(data).flatMap(([name, value]) =>
    Object.hasOwn(fields, name) ? [] : (refuses(name, value) ?? []),
  );
  return texts.slice(0, refusedMax);
}

function inputWarnings(data: Given['data'], parameters: Given['parameters'], fields: Fields): readonly string[] {
  const names = Object.keys(data);
  if (names.length === 0) return [];
  const ignored = names.filter((name) => !Object.hasOwn(fields, name) && !Object.hasOwn(parameters, name)).sort();
  const replaced = names.filter((name) => Object.hasOwn(parameters, name) && data[name] !== null).sort();
  return [
    ...(ignored.length > 0 ? [`Endpoint ignored these unrecognized parameters: ${shown(ignored)}`] : []),
    ...(replaced.length > 0
      ? [
          `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: ${shown(replaced)}`,
        ]
      : []),
  ];
}

const shownMax = 32;
const shownCharactersMax = 64;

/** Names as the API family shows them, with a bound on what is given back. */
function shown(names: readonly string[]): string {
  const first = names.slice(0, shownMax).map((name) => name.slice(0, shownCharactersMax));
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `[${first.join(' ')}]${more}`;
}
