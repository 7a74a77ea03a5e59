import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { canonicalField } from '../vocabulary.ts';
import { ApiError, badRequest, type Problem, unprocessable } from './error.ts';
import type { Identifier } from './resource.ts';
import type { ApiCall } from './row.ts';

type Body = Pick<ApiCall, 'body'>;
type Shape = Readonly<Record<string, z.ZodType>>;
type Attributes<S extends Shape> = { readonly [K in keyof S]?: z.output<S[K]> };

/**
 * The `data` of a document about one resource. `type`: that it has to have, where clients are known to send it.
 *
 * @throws ApiError 400 without `data`, 422 for another type
 */
export function dataOf({ body }: Body, type?: string): JsonObject {
  const data = isJsonObject(body ?? null) ? (body as JsonObject)['data'] : undefined;
  if (data === undefined || !isJsonObject(data)) throw badRequest('param is missing or the value is empty: data');
  if (type !== undefined && data['type'] !== type) throw unprocessable(`type has to be "${type}"`);
  return data;
}

/**
 * The attributes of a document that a shape names, each read by its own type; absent ones are absent, others are ignored. Names
 * are taken with `_` for `-` and by the alias of existing clients (reference, workspaces 1.2).
 *
 * @throws ApiError 400 without `data`, 422 for another type of the document and for values that do not fit, all of them at once
 */
export function attributesOf<S extends Shape>(call: Body, type: string | undefined, shape: S): Attributes<S> {
  const sent = canonical(dataOf(call, type)['attributes']);
  const problems: Problem[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    if (!Object.hasOwn(sent, name)) continue;
    const result = field.safeParse(sent[name]);
    if (result.success) read[name] = result.data;
    else problems.push(...result.error.issues.map((issue) => problemOf(name, issue)));
  }
  if (problems.length > 0) throw new ApiError(422, problems.slice(0, problemsMax));
  return read as Attributes<S>;
}

const problemsMax = 32;

function problemOf(name: string, { path, message }: z.core.$ZodIssue): Problem {
  const pointer = ['', 'data', 'attributes', name, ...path.map(String)].join('/');
  return { title: 'invalid attribute', detail: `${titled([name, ...path].join(' '))} ${message}`, pointer };
}

/** `vcs-repo` as `Vcs repo`: how texts of the family begin. */
const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** Members by their canonical names. Objects inside keep theirs but for `_`. @throws ApiError 400 for two names of one thing */
function canonical(attributes: Json | undefined): Readonly<Record<string, Json>> {
  if (attributes === undefined || attributes === null) return {};
  if (!isJsonObject(attributes)) throw badRequest('data.attributes has to be an object');
  const byName: Record<string, Json> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    const dashed = name.replaceAll('_', '-');
    const known = canonicalField(dashed);
    if (Object.hasOwn(byName, known)) throw badRequest(`the attribute ${known} came twice, by two names: send it once`);
    byName[known] = value;
  }
  return byName;
}

/**
 * A relationship of a document to one thing: undefined when it is not there, null when it leads nowhere.
 *
 * @throws ApiError 422 for what is no relationship
 */
export function relatedOne(data: JsonObject, name: string): { readonly id: string } | null | undefined {
  const linkage = linkageOf(data, name);
  if (linkage === undefined || linkage === null) return linkage;
  if (!isJsonObject(linkage)) throw unprocessable(`${name} has to be one resource identifier`);
  const id = linkage['id'];
  if (id === undefined || id === null || id === '') return null;
  if (typeof id !== 'string') throw unprocessable(`${name}: id has to be a text`);
  return { id };
}

/**
 * A relationship of a document to many things, as they were sent; undefined when it is not there.
 *
 * @throws ApiError 422 for what is no list of objects, or too long a one
 */
export function relatedMany(data: JsonObject, name: string): readonly JsonObject[] | undefined {
  const linkage = linkageOf(data, name);
  return linkage === undefined || linkage === null ? undefined : listOfObjects(linkage, name);
}

/** The `data` of a document that is a list, as of relationships. @throws ApiError 400, 422 */
export function dataListOf({ body }: Body): readonly JsonObject[] {
  const data = isJsonObject(body ?? null) ? (body as JsonObject)['data'] : undefined;
  if (data === undefined || data === null) throw badRequest('param is missing or the value is empty: data');
  return listOfObjects(data, 'data');
}

/** Resource identifiers of a document that is a list of them. @throws ApiError 400, 422 */
export function identifiersOf(call: Body, type: string): readonly Identifier[] {
  return dataListOf(call).map((one) => {
    const { id } = one;
    if (one['type'] !== type) throw unprocessable(`type has to be "${type}"`);
    if (typeof id !== 'string' || id === '') throw unprocessable('id has to be a text');
    return { id, type };
  });
}

/** Of one list in a document. */
const listMax = 1_000;

function listOfObjects(list: Json, name: string): readonly JsonObject[] {
  if (!Array.isArray(list)) throw unprocessable(`${name} has to be a list`);
  if (list.length > listMax) throw unprocessable(`${name} may have at most ${listMax} entries`);
  return list.map((one: Json) => {
    if (isJsonObject(one)) return one;
    throw unprocessable(`${name} has to be a list of objects`);
  });
}

function linkageOf(data: JsonObject, name: string): Json | undefined {
  const relationships = data['relationships'];
  if (relationships === undefined || relationships === null) return undefined;
  if (!isJsonObject(relationships)) throw badRequest('data.relationships has to be an object');
  const one = relationships[name] ?? relationships[name.replaceAll('-', '_')];
  if (one === undefined || one === null) return undefined;
  if (!isJsonObject(one)) throw unprocessable(`${name} has to be a relationship`);
  return one['data'];
}
