import type { PageReply } from '#client/page.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { listIn, type Paged } from '#ui/table/pages.ts';

/** A resource of a JSON:API document, read by the names of its attributes. */
export interface Item {
  readonly id: string;
  readonly type: string;
  /** An attribute as text; empty without one. */
  text(...path: readonly string[]): string;
  value(...path: readonly string[]): Value | undefined;
  is(...path: readonly string[]): boolean;
  number(...path: readonly string[]): number;
  /** The id in a relationship to one resource; empty without one. */
  related(name: string): string;
  /** The resource of a relationship, if the document includes it. */
  included(name: string): Item | undefined;
}

function itemOf(resource: Value | undefined, all: ReadonlyMap<string, Value>): Item {
  const value = (...path: readonly string[]) => memberOf(resource, 'attributes', ...path);
  const linked = (name: string) => memberOf(resource, 'relationships', name, 'data');
  return {
    id: textOf(resource, 'id'),
    type: textOf(resource, 'type'),
    text: (...path) => textOf(value(...path)),
    value,
    is: (...path) => value(...path) === true,
    number: (...path) => Number(textOf(value(...path)) || 0),
    related: (name) => textOf(linked(name), 'id'),
    included(name) {
      const found = all.get(keyOf(linked(name)));
      return found === undefined ? undefined : itemOf(found, all);
    },
  };
}

const keyOf = (identifier: Value | undefined): string => `${textOf(identifier, 'type')} ${textOf(identifier, 'id')}`;

const read = new WeakMap<PageReply, readonly Item[]>();

/** The resources of a document, whether of one or of a list. Each reply is read once. */
export function itemsOf(reply: PageReply): readonly Item[] {
  const known = read.get(reply);
  if (known !== undefined) return known;
  const all = new Map(listIn(reply.whole, 'included').map((one) => [keyOf(one), one]));
  const data = Array.isArray(reply.data) ? (reply.data as readonly Value[]) : [reply.data];
  const items = data.map((one) => itemOf(one, all));
  read.set(reply, items);
  return items;
}

/** The resource of a document about one. */
export const itemIn = (reply: PageReply): Item => itemsOf(reply)[0] ?? itemOf(undefined, new Map());

/** The resources that a document includes, of one type. */
export const includedIn = (reply: PageReply, type: string): readonly Item[] =>
  listIn(reply.whole, 'included')
    .filter((one) => textOf(one, 'type') === type)
    .map((one) => itemOf(one, new Map()));

export const pagination = (reply: PageReply | undefined, name: 'total-count' | 'next-page' | 'total-pages'): string =>
  textOf(reply?.whole, 'meta', 'pagination', name);

/** The pages of a list by their numbers. */
export const numbered: Pick<Paged<Item>, 'rows' | 'next'> = {
  rows: itemsOf,
  next: (reply) => pagination(reply, 'next-page'),
};

/** A document that is sent about one resource. */
export const dataOf = (
  type: string,
  attributes: Readonly<Record<string, Value>>,
  related: Readonly<Record<string, readonly [type: string, id: string]>> = {},
): Value => ({
  type,
  attributes,
  ...(Object.keys(related).length === 0
    ? {}
    : {
        relationships: Object.fromEntries(
          Object.entries(related).map(([name, [to, id]]) => [name, { data: { type: to, id } }]),
        ),
      }),
});
