import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '#core/json/json.ts';
import { canonicalField } from '../vocabulary.ts';
import { ApiError, badRequest, type Problem, unprocessable } from './error.ts';
import type { Identifier } from './resource.ts';

/** The body of a request; undefined without one. */
type Body = { readonly body: Json | undefined };
type Shape = Readonly<Record<string, z.ZodType>>;
export type Attributes<S extends Shape> = { readonly [K in keyof S]?: z.output<S[K]> };

/**
 * The `data` of a document about one resource. `type` is checked if given; some clients omit it for some resources.
 *
 * @throws ApiError 400 without `data`, 422 for another type
 */
export function dataOf({ body }: Body, type?: string): JsonObject {
  const data = isJsonObject(body ?? null) ? (body as JsonObject)['data'] : undefined;
  if (data === undefined || !isJsonObject(data)) throw badRequest('param is missing or the value is empty: data');
  if (type !== undefined && data['type'] !== type) throw unprocessable(`type must be "${type}"`);
  return data;
}

/**
 * The attributes of a document that a shape names, each read by its own type. Other attributes are ignored. Names may have `_` for `-`, or be
 * the alias that existing clients use.
 *
 * @throws ApiError 400 without `data`, 422 for another type of the document and for invalid values, with all of them
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

/** `vcs-repo` as `Vcs repo`, which begins error texts of the family. */
const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** Members by their canonical names. In nested objects only `_` is replaced. @throws ApiError 400 for two names of one attribute */
function canonical(attributes: Json | undefined): Readonly<Record<string, Json>> {
  if (attributes === undefined || attributes === null) return {};
  if (!isJsonObject(attributes)) throw badRequest('data.attributes must be an object');
  const byName: Record<string, Json> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    const dashed = name.replaceAll('_', '-');
    const known = canonicalField(dashed);
    if (Object.hasOwn(byName, known))
      throw badRequest(`the attribute ${known} was sent twice, under two names: send it once`);
    byName[known] = value;
  }
  return byName;
}

/**
 * A relationship of a document to one resource: undefined when it is absent, null when it is empty.
 *
 * @throws ApiError 422 for an invalid relationship
 */
export function relatedOne(data: JsonObject, name: string): { readonly id: string } | null | undefined {
  const linkage = linkageOf(data, name);
  if (linkage === undefined || linkage === null) return linkage;
  if (!isJsonObject(linkage)) throw unprocessable(`${name} must be one resource identifier`);
  const id = linkage['id'];
  if (id === undefined || id === null || id === '') return null;
  if (typeof id !== 'string') throw unprocessable(`${name}: id must be a string`);
  return { id };
}

/**
 * A relationship of a document to several resources, as sent; undefined when it is absent.
 *
 * @throws ApiError 422 when it is not a list of objects, or the list is too long
 */
export function relatedMany(data: JsonObject, name: string): readonly JsonObject[] | undefined {
  const linkage = linkageOf(data, name);
  return linkage === undefined || linkage === null ? undefined : listOfObjects(linkage, name);
}

/** The `data` of a document with a list, such as a relationship. @throws ApiError 400, 422 */
export function dataListOf({ body }: Body): readonly JsonObject[] {
  const data = isJsonObject(body ?? null) ? (body as JsonObject)['data'] : undefined;
  if (data === undefined || data === null) throw badRequest('param is missing or the value is empty: data');
  return listOfObjects(data, 'data');
}

/** The resource identifiers in a document with a list. @throws ApiError 400, 422 */
export function identifiersOf(call: Body, type: string): readonly Identifier[] {
  return dataListOf(call).map((one) => {
    const { id } = one;
    if (one['type'] !== type) throw unprocessable(`type must be "${type}"`);
    if (typeof id !== 'string' || id === '') throw unprocessable('id must be a string');
    return { id, type };
  });
}

/** Entries of one list in a document. */
const listMax = 1_000;

function listOfObjects(list: Json, name: string): readonly JsonObject[] {
  if (!Array.isArray(list)) throw unprocessable(`${name} must be a list`);
  if (list.length > listMax) throw unprocessable(`${name} may have at most ${listMax} entries`);
  return list.map((one: Json) => {
    if (isJsonObject(one)) return one;
    throw unprocessable(`${name} must be a list of objects`);
  });
}

function linkageOf(data: JsonObject, name: string): Json | undefined {
  const relationships = data['relationships'];
  if (relationships === undefined || relationships === null) return undefined;
  if (!isJsonObject(relationships)) throw badRequest('data.relationships must be an object');
  const one = relationships[name] ?? relationships[name.replaceAll('-', '_')];
  if (one === undefined || one === null) return undefined;
  if (!isJsonObject(one)) throw unprocessable(`${name} must be a relationship`);
  return one['data'];
}
