import type { z } from 'zod';
import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation } from '../contract/row.ts';
import { isOptional } from '../meta.ts';
import type { PathItem } from './path-items.ts';
import { responsesOf } from './replies.ts';
import { type Schema, schemaOf } from './schema.ts';

/** An operation of a path, without its id. */
export function operationObject(
  { verb, operation }: PathItem['operations'][number],
  item: PathItem,
  vocabulary: Vocabulary,
): object {
  const hasBody = verb === 'write' || verb === 'patch';
  const given = Object.entries(operation.fields).filter(
    ([name]) => !item.open.includes(name) && !item.bound.includes(name),
  );
  const query = hasBody ? [] : given.map(([name, field]) => parameter(name, field, 'query'));
  const ofList = verb === 'read' ? listFields(operation, item) : [];
  const parameters = [...pathParameters(operation, item), ...listParameter(verb, item), ...query, ...ofList];
  const { unauthenticated, sudo } = operation.marks;
  return {
    summary: operation.summary,
    ...(unauthenticated ? { [markName('unauthenticated', vocabulary)]: true, security: [] } : {}),
    ...(sudo ? { [markName('sudo', vocabulary)]: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody && (given.length > 0 || operation.marks.anyFields === true)
      ? { requestBody: requestBody(verb, operation, given) }
      : {}),
    responses: responsesOf(verb, operation),
  };
}

/** The name of an extension, as clients of the vocabulary know it. */
export const markName = (mark: 'unauthenticated' | 'sudo' | 'createSupported', vocabulary: Vocabulary): string =>
  `${vocabulary === 'alias' ? 'x-vault' : 'x-service'}-${mark}`;

function pathParameters(operation: Operation, item: PathItem): readonly object[] {
  return item.open.map((name) => {
    const field = operation.fields[name];
    if (field !== undefined) return parameter(name, field, 'path');
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

/** A listing is a GET with `list=true`. The parameter is optional if the path can also be read. */
function listParameter(verb: Verb, item: PathItem): readonly object[] {
  if (!item.operations.some((entry) => entry.verb === 'list') || (verb !== 'list' && verb !== 'read')) return [];
  const only =
    verb === 'list' ? { required: true, schema: { type: 'string', enum: ['true'] } } : { schema: { type: 'string' } };
  return [{ name: 'list', in: 'query', description: 'Lists the keys when true.', ...only }];
}

/** A path that can be read and listed has one GET, which takes the fields of both. Those of the listing matter only with `list`. */
function listFields(read: Operation, item: PathItem): readonly object[] {
  const list = item.operations.find(({ verb }) => verb === 'list')?.operation;
  return Object.entries(list?.fields ?? {})
    .filter(([name, field]) => read.fields[name] === undefined && !item.bound.includes(name) && isOptional(field))
    .map(([name, field]) => parameter(name, field, 'query'));
}

function parameter(name: string, field: z.ZodType, location: 'path' | 'query'): object {
  const { description, ...schema } = schemaOf(field);
  const required = location === 'path' || !isOptional(field);
  return {
    name,
    in: location,
    ...(description === undefined ? {} : { description }),
    ...(required ? { required } : {}),
    schema,
  };
}

function requestBody(verb: Verb, operation: Operation, given: readonly (readonly [string, z.ZodType])[]): object {
  const required = given.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(given.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 ? { required } : {}),
    ...(operation.marks.anyFields ? { additionalProperties: true } : {}),
  };
  const mediaType = verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
  return { ...(required.length > 0 ? { required: true } : {}), content: { [mediaType]: { schema } } };
}

/** Gives each operation of a document a unique id. */
export type NameOperation = (verb: Verb, path: string) => string;

/**
 * Ids such as `ReadSecretDataPath`, made from the verb and the words of the path; a repeated id gets a number. A `context` is
 * appended to each id, so that code generated from several documents does not clash.
 */
export function operationNames(context = ''): NameOperation {
  const counts = new Map<string, number>();
  const suffix = context === '' ? '' : `_${context}`;
  return (verb, path) => {
    const name = capitalised(verb) + words(path).map(capitalised).join('');
    const key = name.toLowerCase();
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${name}${count === 1 ? '' : `_${count}`}${suffix}`;
  };
}

const words = (path: string): readonly string[] => [...(path.match(/[A-Za-z0-9]+/g) ?? [])];

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
