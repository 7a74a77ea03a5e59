import type { z } from 'zod';
import { isOptional } from '../meta.ts';
import type { PathItem } from '../path-items.ts';
import type { Operation, Row, Verb, Vocabulary } from '../row.ts';
import { ownDocument } from './own-text.ts';
import { type Schema, schemaOf } from './schema.ts';

/** An OpenAPI 3.0 document. */
export interface OpenApiDocument {
  readonly openapi: '3.0.3';
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
}

/** The document of these paths, which are relative to the path `at`; both have the vocabulary's names. */
export function openApiDocument(at: string, items: readonly PathItem[], vocabulary: Vocabulary): OpenApiDocument {
  return {
    openapi: '3.0.3',
    info: { title: 'Keyferry', description: `Paths are relative to /v1/${at}`, version: '1' },
    paths: Object.fromEntries(items.map((item) => [item.path, ownDocument(pathItem(item), vocabulary)])),
  };
}

interface Entry {
  readonly row: Row;
  readonly verb: Verb;
  readonly operation: Operation;
}

const methods = { read: 'get', list: 'get', write: 'post', patch: 'patch', delete: 'delete' } satisfies Record<
  Verb,
  string
>;

function pathItem(item: PathItem): object {
  const { operations } = item;
  const first = operations[0];
  const reads = operations.some(({ verb }) => verb === 'read');
  const shown = operations.filter(({ verb }) => verb !== 'list' || !reads);
  return {
    ...(first === undefined ? {} : { description: first.row.help }),
    ...(operations.some(({ row, verb }) => verb === 'write' && row.exists)
      ? { 'x-service-createSupported': true }
      : {}),
    ...Object.fromEntries(shown.map((entry) => [methods[entry.verb], operationObject(entry, item)])),
  };
}

function operationObject(entry: Entry, item: PathItem): object {
  const { verb, operation } = entry;
  const hasBody = verb === 'write' || verb === 'patch';
  const given = Object.entries(operation.fields).filter(
    ([name]) => !item.open.includes(name) && !item.bound.includes(name),
  );
  const query = hasBody ? [] : given.map(([name, field]) => parameter(name, field, 'query'));
  const parameters = [...pathParameters(operation, item), ...listParameter(verb, item), ...query];
  return {
    summary: operation.summary,
    ...(operation.marks.unauthenticated ? { 'x-service-unauthenticated': true } : {}),
    ...(operation.marks.sudo ? { 'x-service-sudo': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody && (given.length > 0 || operation.marks.anyFields === true)
      ? { requestBody: requestBody(verb, operation, given) }
      : {}),
    responses: responses(verb),
  };
}

function pathParameters(operation: Operation, item: PathItem): readonly object[] {
  return item.open.map((name) => {
    const field = operation.fields[name];
    if (field !== undefined) return parameter(name, field, 'path');
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

/** A listing is a GET with `list=true`; where the path can be read as well, the parameter may be left out. */
function listParameter(verb: Verb, item: PathItem): readonly object[] {
  if (!item.operations.some((entry) => entry.verb === 'list') || (verb !== 'list' && verb !== 'read')) return [];
  const only =
    verb === 'list' ? { required: true, schema: { type: 'string', enum: ['true'] } } : { schema: { type: 'string' } };
  return [{ name: 'list', in: 'query', description: 'Lists the keys when it is true.', ...only }];
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

function responses(verb: Verb): object {
  if (verb === 'read' || verb === 'list') return { 200: { description: 'OK' } };
  return { 200: { description: 'OK' }, 204: { description: 'Done, nothing to say' } };
}
