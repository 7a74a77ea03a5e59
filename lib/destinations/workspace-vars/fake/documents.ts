import type { Answer } from '../../frame/fake/rest.ts';
import type { Problem, StoredVariable } from './variables.ts';

/** The owner of variables, with their path below `/api/v2`. */
export interface Owner {
  readonly type: 'workspaces' | 'varsets';
  readonly id: string;
  readonly path: string;
}

/** A variable as a resource; a sensitive value is not shown. */
export function resourceOf(entry: StoredVariable, owner: Owner) {
  const { id, key, value, description, category, hcl, sensitive, versionId } = entry;
  return {
    id,
    type: 'vars',
    attributes: {
      key,
      value: sensitive ? null : value,
      sensitive,
      category,
      hcl,
      'created-at': '2026-01-01T00:00:00.000Z',
      description,
      'version-id': versionId,
    },
    relationships: {
      [owner.type === 'varsets' ? 'varset' : 'configurable']: { data: { id: owner.id, type: owner.type } },
    },
    links: { self: `/api/v2${owner.path}/${id}` },
  };
}

/** A complete list, as for workspaces. */
export const wholeList = (entries: readonly StoredVariable[], owner: Owner): Answer => ({
  status: 200,
  body: { data: entries.map((entry) => resourceOf(entry, owner)) },
});

const pageSizeUsual = 20;
const pageSizeMax = 100;

/** A list in pages, as for variable sets. */
export function pagedList(entries: readonly StoredVariable[], owner: Owner, query: URLSearchParams): Answer {
  const size = Math.min(Number(query.get('page[size]') ?? pageSizeUsual), pageSizeMax);
  const current = Number(query.get('page[number]') ?? 1);
  const total = Math.max(1, Math.ceil(entries.length / size));
  const page = entries.slice((current - 1) * size, current * size);
  const pagination = {
    'current-page': current,
    'page-size': size,
    'prev-page': current > 1 ? current - 1 : null,
    'next-page': current < total ? current + 1 : null,
    'total-pages': total,
    'total-count': entries.length,
  };
  return { status: 200, body: { data: page.map((entry) => resourceOf(entry, owner)), meta: { pagination } } };
}

export const refuse = (status: number, title: string, rest: object = {}): Answer => ({
  status,
  body: { errors: [{ status: String(status), title, ...rest }] },
});

/** The answer both for missing resources and for missing permissions. */
export const notFound: Answer = refuse(404, 'not found');

export const unprocessable = ({ attribute, detail }: Problem): Answer =>
  refuse(422, 'invalid attribute', { detail, source: { pointer: `/data/attributes/${attribute}` } });
