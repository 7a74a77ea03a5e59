import type { z } from 'zod';
import type { Json, JsonObject } from '#core/json/json.ts';
import { type Attributes, attributesOf, dataListOf, dataOf, identifiersOf, relatedMany, relatedOne } from './body.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The schema of a request body: how the body is read, and how the OpenAPI document shows it. */
export interface BodySchema<T> {
  readonly form: BodyForm;
  /** Clients may omit the body. */
  readonly optional: boolean;
  /** @throws ApiError 400, 422 */
  read(body: Json | undefined): T;
}

/** The type that a handler gets for a body. */
export type BodyOf<S> = S extends BodySchema<infer T> ? T : never;

/** The form of a body. */
export type BodyForm =
  | {
      readonly kind: 'document';
      /** Undefined when clients send several types. */
      readonly type: string | undefined;
      readonly attributes: Shape;
      readonly relationships: Relations;
    }
  /** A list of resource identifiers. */
  | { readonly kind: 'identifiers'; readonly type: string }
  /** A list of resource objects with these attributes. */
  | { readonly kind: 'resources'; readonly type: string; readonly attributes: Shape }
  /** Bytes of any media type, which the handler takes from the stream. */
  | { readonly kind: 'bytes' }
  /** Anything else, with its OpenAPI schema. */
  | { readonly kind: 'other'; readonly schema: object };

/** Relationships that a document may have, by name: `'projects'` refers to one project, `['tags']` to a list of tags. */
export type Relations = Readonly<Record<string, string | readonly [string]>>;

export type RelatedOf<R extends Relations> = {
  readonly [K in keyof R]: R[K] extends string
    ? { readonly id: string } | null | undefined
    : readonly JsonObject[] | undefined;
};

/** A document about one resource. */
export interface DocumentBody<S extends Shape, R extends Relations> {
  readonly attributes: Attributes<S>;
  /** Undefined when the relationship was not sent, null when it is empty. */
  readonly related: RelatedOf<R>;
  /** `data` as sent. */
  readonly data: JsonObject;
}

interface DocumentSpec<S extends Shape, R extends Relations> {
  /** The required type of the document. Absent: any type. */
  readonly type?: string;
  readonly attributes?: S;
  readonly relationships?: R;
  /** No body and `{}` count as a document without attributes. */
  readonly optional?: boolean;
}

// biome-ignore lint/complexity/noBannedTypes: a document without a shape has no attributes.
type None = {};

/** A JSON:API document about one resource. */
export function document<S extends Shape = None, R extends Relations = None>({
  type,
  attributes = {} as S,
  relationships = {} as R,
  optional = false,
}: DocumentSpec<S, R>): BodySchema<DocumentBody<S, R>> {
  return {
    form: { kind: 'document', type, attributes, relationships },
    optional,
    read: (body) => {
      const sent = optional && isEmpty(body) ? { data: {} } : body;
      const read = attributesOf({ body: sent }, type, attributes);
      const data = dataOf({ body: sent }, type);
      return { attributes: read, related: relatedIn(data, relationships), data };
    },
  };
}

const isEmpty = (body: Json | undefined): boolean => Object.keys(Object(body ?? {})).length === 0;

const relatedIn = <R extends Relations>(data: JsonObject, relationships: R): RelatedOf<R> =>
  Object.fromEntries(
    Object.entries(relationships).map(([name, to]) => [
      name,
      typeof to === 'string' ? relatedOne(data, name) : relatedMany(data, name),
    ]),
  ) as RelatedOf<R>;

/** A list of identifiers of one type; the handler gets their ids. */
export const identifiers = (type: string): BodySchema<readonly string[]> => ({
  form: { kind: 'identifiers', type },
  optional: false,
  read: (body) => identifiersOf({ body }, type).map(({ id }) => id),
});

/** A list of resource objects, which `read` converts for the handler. */
export const resources = <T>(
  type: string,
  attributes: Shape,
  read: (sent: readonly JsonObject[]) => T,
): BodySchema<T> => ({
  form: { kind: 'resources', type, attributes },
  optional: false,
  read: (body) => read(dataListOf({ body })),
});

/** A body of any other form. */
export const otherBody = <T>(
  { schema, optional = false }: { readonly schema: object; readonly optional?: boolean },
  read: (body: Json | undefined) => T,
): BodySchema<T> => ({ form: { kind: 'other', schema }, optional, read });

/** A body that the handler gets as a stream. */
export const bytesBody: BodySchema<undefined> = { form: { kind: 'bytes' }, optional: false, read: () => undefined };
