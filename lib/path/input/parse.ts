import { z } from 'zod';
import { type Problem, problemOf } from '#core/problem.ts';
import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation } from '../contract/row.ts';
import type { Fields } from '../fields.ts';
import { fieldMeta, membersOf } from '../meta.ts';
import { canonicalField } from '../vocabulary.ts';
import { inputProblems } from './problems.ts';
import { cut, ignoredTexts, refusedNames, shownNames, spelledTwice } from './unknown.ts';

/** The input of a request before the fields of the operation are applied. */
export interface Given {
  /** Values of the pattern's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Members of the body, or the parameters of the query when the operation has no body. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Names in the query of a request with a body; their values are not read. Absent for none. */
  readonly queryNames?: readonly string[];
  /** For names in texts; by default the canonical ones. */
  readonly vocabulary?: Vocabulary;
}

/** The input of the operation, or the problems of a 400, which never contain the value of a sensitive field. */
export type Parsed = ParsedInput | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ParsedInput {
  readonly ok: true;
  readonly input: Readonly<Record<string, unknown>>;
  /** Warnings about ignored fields, shown with every reply. */
  readonly ignored: readonly string[];
  /** Warnings shown when the reply has content. */
  readonly warnings: readonly string[];
}

export type ReadInput = (given: Given) => Parsed;

/** A function that reads the input of an operation. All that does not depend on a request is prepared once. */
export function inputReader(operation: Operation, verb: Verb = 'write'): ReadInput {
  const { fields, marks } = operation;
  const schema = z.object(fields);
  const arbitrary = marks.anyFields === true;
  const unnamed = Object.keys(fields).length === 0;
  const sensitive = namesOf(fields, (field) => fieldMeta(field).sensitive === true);
  const nullable = namesOf(fields, (field) => field.safeParse(null).success);
  const unknown = unknownFields(operation, verb);

  return ({ parameters, data, queryNames = [], vocabulary = 'canonical' }) => {
    // Such data may have very many members, so a copy would take long.
    if (arbitrary && unnamed) return { ok: true, input: data, ignored: [], warnings: [] };
    const names = Object.keys(data);
    if (!arbitrary && names.length > namesMax) return tooManyFields;
    const twice = arbitrary ? [] : spelledTwice(names, queryNames);
    if (twice.length > 0) return { ok: false, problems: twice };
    const named = arbitrary ? onlyOf(data, fields) : byCanonicalName(data, fields);
    const offered = withoutNulls({ ...named, ...parameters }, fields, nullable);
    const result = schema.safeParse(offered);
    if (!result.success) return { ok: false, problems: inputProblems(result.error, offered, sensitive) };
    if (arbitrary) return { ok: true, input: { ...data, ...result.data }, ignored: [], warnings: [] };
    const refused = refusedFields(named, fields, marks.refuses);
    if (refused.length > 0) return { ok: false, problems: refused };
    const { problems, ignored } = unknown(named, parameters, queryNames, vocabulary);
    if (problems.length > 0) return { ok: false, problems };
    return { ok: true, input: result.data, ignored, warnings: replacedTexts(named, parameters) };
  };
}

/** The members that are fields. Such data may have very many others, so they are not copied. */
function onlyOf(data: Readonly<Record<string, unknown>>, fields: Fields): Readonly<Record<string, unknown>> {
  const names = Object.keys(fields).filter((name) => Object.hasOwn(data, name));
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}

/** More than the fields of any operation. */
const namesMax = 1_000;
const tooManyFields = { ok: false, problems: [problemOf([], `the request has more than ${namesMax} fields`)] } as const;
const nothing = { problems: [], ignored: [] } as const;

/** Reports fields that the operation does not have. Null does not count: Go clients send it for fields that are not set. */
function unknownFields({ fields, marks }: Operation, verb: Verb) {
  const isRefused = marks.knownFieldsOnly ?? verb === 'delete';
  const ignores = new Set(marks.ignores);
  const nested = Object.entries(fields).flatMap(([name, field]) => {
    const members = membersOf(field);
    return members === undefined ? [] : [[name, new Set(members)] as const];
  });
  const inBody = Object.keys(fields).filter((name) => fields[name] && fieldMeta(fields[name]).in !== 'path');
  const known = [...inBody, ...nested.flatMap(([name, members]) => [...members].map((member) => `${name}.${member}`))];
  return (
    data: Given['data'],
    parameters: Given['parameters'],
    queryNames: readonly string[],
    vocabulary: Vocabulary,
  ) => {
    const isUnknown = (name: string) =>
      !Object.hasOwn(fields, name) && !Object.hasOwn(parameters, name) && !ignores.has(name);
    const names = [
      ...Object.keys(data).filter((name) => isUnknown(name) && data[name] !== null),
      ...nested.flatMap(([name, members]) => unknownMembers(name, members, data[name], ignores)),
      ...queryNames,
    ];
    if (names.length === 0) return nothing;
    names.sort();
    if (isRefused) return { problems: refusedNames(names, known, vocabulary), ignored: [] };
    return { problems: [], ignored: ignoredTexts(names, known, vocabulary) };
  };
}

function namesOf(fields: Fields, test: (field: z.ZodType) => boolean): ReadonlySet<string> {
  return new Set(Object.entries(fields).flatMap(([name, field]) => (test(field) ? [name] : [])));
}

/** Existing clients use another name for some fields. A row that declares that name itself gets it unchanged. */
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

/** Go clients send `null` for fields that are not set (`"options": null`), so it counts as absent unless the field allows it. */
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

/** Limit for the problems in one reply. */
const refusedMax = 10;

function refusedFields(
  data: Given['data'],
  fields: Fields,
  refuses: Operation['marks']['refuses'],
): readonly Problem[] {
  if (refuses === undefined) return [];
  const problems = Object.entries(data).flatMap(([name, value]) => {
    const text = Object.hasOwn(fields, name) ? undefined : refuses(name, value);
    return text === undefined ? [] : [problemOf(cut(name), text)];
  });
  return problems.slice(0, refusedMax);
}

/** The unknown members of a field that is an object. */
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
