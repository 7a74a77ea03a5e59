import { z } from 'zod';
import type { Fields } from './fields.ts';
import { fieldMeta } from './meta.ts';
import { inputProblems } from './problems.ts';
import type { Operation } from './row.ts';
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
  const sensitive = namesOf(fields, (field) => fieldMeta(field).sensitive === true);
  const nullable = namesOf(fields, (field) => field.safeParse(null).success);

  return ({ parameters, data }) => {
    const named = arbitrary ? data : byCanonicalName(data, fields);
    const offered = withoutNulls({ ...named, ...parameters }, fields, nullable);
    const result = schema.safeParse(offered);
    if (!result.success) return { ok: false, problems: inputProblems(result.error, offered, sensitive) };
    if (arbitrary) return { ok: true, input: { ...data, ...result.data }, warnings: [] };
    return { ok: true, input: result.data, warnings: inputWarnings(named, parameters, fields) };
  };
}

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

function inputWarnings(data: Given['data'], parameters: Given['parameters'], fields: Fields): readonly string[] {
  const names = Object.keys(data);
  if (names.length === 0) return [];
  const ignored = names.filter((name) => !Object.hasOwn(fields, name) && !Object.hasOwn(parameters, name)).sort();
  const replaced = names.filter((name) => Object.hasOwn(parameters, name) && data[name] !== null).sort();
  return [
    ...(ignored.length > 0 ? [`Endpoint ignored these unrecognized parameters: [${ignored.join(' ')}]`] : []),
    ...(replaced.length > 0
      ? [
          `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${replaced.join(' ')}]`,
        ]
      : []),
  ];
}
