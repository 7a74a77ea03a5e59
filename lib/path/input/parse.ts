import { z } from 'zod';
import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation } from '../contract/row.ts';
import type { Fields } from '../fields.ts';
import { fieldMeta, membersOf } from '../meta.ts';
import { canonicalField } from '../vocabulary.ts';
import { inputProblems } from './problems.ts';
import { spelledTwice } from './spellings.ts';
import { ignoredTexts, refusedTexts, shownNames } from './unknown.ts';

/** What a request brought, before the operation's fields were looked at. */
export interface Given {
  /** Values of the pattern's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Members of the body, or the query's parameters where the operation has no body. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Names in the query of a request that has a body: nothing reads their values. Absent: none. */
  readonly beside?: readonly string[];
  /** Names in texts; absent: the canonical ones. */
  readonly vocabulary?: Vocabulary;
}

/** The operation's input, or why there is none (texts for a 400; never the value of a sensitive field). */
export type Parsed = ParsedInput | { readonly ok: false; readonly problems: readonly string[] };

export interface ParsedInput {
  readonly ok: true;
  readonly input: Readonly<Record<string, unknown>>;
  /** Of fields that nothing reads. They are said whatever the operation answers. */
  readonly ignored: readonly string[];
  /** Said where the operation answers anything. */
  readonly warnings: readonly string[];
}

export type ReadInput = (given: Given) => Parsed;

/** Everything about an operation's input that can be known before a request comes. */
export function inputReader(operation: Operation, verb: Verb = 'write'): ReadInput {
  const { fields, marks } = operation;
  const schema = z.object(fields);
  const arbitrary = marks.anyFields === true;
  const unnamed = Object.keys(fields).length === 0;
  const sensitive = namesOf(fields, (field) => fieldMeta(field).sensitive === true);
  const nullable = namesOf(fields, (field) => field.safeParse(null).success);
  const unknown = unknownFields(operation, verb);

  return ({ parameters, data, beside = [], vocabulary = 'canonical' }) => {
    // Such data may have very many members, of which a copy would take long to make.
    if (arbitrary && unnamed) return { ok: true, input: data, ignored: [], warnings: [] };
    const names = Object.keys(data);
    if (!arbitrary && names.length > namesMax) return tooManyFields;
    const twice = arbitrary ? [] : spelledTwice(names, beside);
    if (twice.length > 0) return { ok: false, problems: twice };
    const named = arbitrary ? data : byCanonicalName(data, fields);
    const offered = withoutNulls({ ...named, ...parameters }, fields, nullable);
    const result = schema.safeParse(offered);
    if (!result.success) return { ok: false, problems: inputProblems(result.error, offered, sensitive) };
    if (arbitrary) return { ok: true, input: { ...data, ...result.data }, ignored: [], warnings: [] };
    const refused = refusedFields(named, fields, marks.refuses);
    if (refused.length > 0) return { ok: false, problems: refused };
    const { problems, ignored } = unknown(named, parameters, beside, vocabulary);
    if (problems.length > 0) return { ok: false, problems };
    return { ok: true, input: result.data, ignored, warnings: replacedTexts(named, parameters) };
  };
}

/** More names than any operation has fields. */
const namesMax = 1_000;
const tooManyFields = { ok: false, problems: [`the request has more than ${namesMax} fields`] } as const;
const nothing = { problems: [], ignored: [] } as const;

/** What is said of fields that the operation does not have. Null is how clients in Go say that they send none. */
function unknownFields({ fields, marks }: Operation, verb: Verb) {
  const isRefused = marks.knownFieldsOnly ?? verb === 'delete';
  const ignores = new Set(marks.ignores);
  const nested = Object.entries(fields).flatMap(([name, field]) => {
    const members = membersOf(field);
    return members === undefined ? [] : [[name, new Set(members)] as const];
  });
  const inBody = Object.keys(fields).filter((name) => fields[name] && fieldMeta(fields[name]).in !== 'path');
  const known = [...inBody, ...nested.flatMap(([name, members]) => [...members].map((member) => `${name}.${member}`))];
  return (data: Given['data'], parameters: Given['parameters'], beside: readonly string[], vocabulary: Vocabulary) => {
    const isUnknown = (name: string) =>
      !Object.hasOwn(fields, name) && !Object.hasOwn(parameters, name) && !ignores.has(name);
    const names = [
      ...Object.keys(data).filter((name) => isUnknown(name) && data[name] !== null),
      ...nested.flatMap(([name, members]) => unknownMembers(name, members, data[name], ignores)),
      ...beside,
    ];
    if (names.length === 0) return nothing;
    names.sort();
    if (isRefused) return { problems: refusedTexts(names, known, vocabulary), ignored: [] };
    return { problems: [], ignored: ignoredTexts(names, known, vocabulary) };
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

/** Texts of one reply. */
const refusedMax = 10;

function refusedFields(data: Given['data'], fields: Fields, refuses: Operation['marks']['refuses']): readonly string[] {
  if (refuses === undefined) return [];
  const texts = Object.entries(data).flatMap(([name, value]) =>
    Object.hasOwn(fields, name) ? [] : (refuses(name, value) ?? []),
  );
  return texts.slice(0, refusedMax);
}

/** Of a field that is an object with members of its own. */
function unknownMembers(
  name: string,
  known: ReadonlySet<string>,
  value: unknown,
  ignores: ReadonlySet<string>,
): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([member, one]) =>
    known.has(member) || ignores.has(member) || one === null ? [] : [`${name}.${member}`],
  );
}

function replacedTexts(data: Given['data'], parameters: Given['parameters']): readonly string[] {
  const replaced = Object.keys(parameters).filter((name) => Object.hasOwn(data, name) && data[name] !== null);
  if (replaced.length === 0) return [];
  return [
    `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: ${shownNames(replaced.sort())}`,
  ];
}
