import { bodyOf, components, mediaType } from './openapi-schemas.ts';
import type { QueryParameter } from './query.ts';
import type { ApiRow, Needs, ReplyForm } from './row.ts';

/** An OpenAPI 3.0 document of the workspace service. */
export interface ApiDocument {
  readonly openapi: '3.0.3';
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: object;
  readonly security: readonly object[];
}

/** The document of these rows. `isForbidden`: whether callers that may read the resource get 403 when they lack the right. */
export function apiDocument(rows: readonly ApiRow[], isForbidden: (needs: Needs) => boolean): ApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row, isForbidden) };
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Keyferry workspaces', description: 'The workspace service (JSON:API)', version: '2' },
    paths: Object.fromEntries(Object.entries(paths).toSorted(([one], [other]) => (one < other ? -1 : 1))),
    components,
    security: [{ bearer: [] }],
  };
}

function operationOf(row: ApiRow, isForbidden: (needs: Needs) => boolean): object {
  const parameters = [...pathParameters(row), ...queryParameters(row)];
  return {
    operationId: operationId(row),
    summary: row.summary,
    tags: [tagOf(row.path)],
    ...(row.open ? { security: [] } : {}),
    'x-service-needs': row.needs,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(row.body === undefined ? {} : { requestBody: bodyOf(row.body) }),
    responses: responsesOf(row, isForbidden),
  };
}

/** `PATCH /api/v2/teams/:team_id` as `patchTeamsTeamId`. */
const operationId = ({ method, path }: ApiRow): string =>
  method.toLowerCase() +
  (path.replace(/^\/api\/v2/, '').match(/[A-Za-z0-9]+/g) ?? [])
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** The resource type at the beginning of a path. */
const tagOf = (path: string): string => /^\/api\/v2\/([a-z-]+)/.exec(path)?.[1] ?? 'discovery';

const pathParameters = ({ path }: ApiRow): readonly object[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const queryParameters = ({ query }: ApiRow): readonly object[] =>
  Object.values(query).flatMap(({ parameters }) => parameters.map(queryParameter));

const queryParameter = ({ name, description, required, schema = { type: 'string' } }: QueryParameter): object => ({
  name,
  in: 'query',
  ...(description === undefined ? {} : { description }),
  ...(required === true ? { required } : {}),
  schema,
});

function responsesOf(row: ApiRow, isForbidden: (needs: Needs) => boolean): object {
  const own = Object.entries(row.replies).map(([status, form]) => [status, responseOf(Number(status), form)]);
  return { ...refusalsOf(row, isForbidden), ...Object.fromEntries(own) };
}

function responseOf(status: number, form: ReplyForm): object {
  if (status >= 400) return { ...refusal, description: typeof form === 'string' ? form : 'Refused' };
  if (form === null) return { description: 'Done' };
  if (typeof form === 'string') return documentResponse('The resource', one([form]));
  if ('oneOf' in form) return documentResponse('The resource', one(form.oneOf));
  if ('mediaType' in form) return { description: 'OK', content: { [form.mediaType]: {} } };
  const [type] = form;
  return documentResponse('The list', { type: 'array', items: one([type]) });
}

const documentResponse = (description: string, data: object): object => ({
  description,
  content: { [mediaType]: { schema: { type: 'object', required: ['data'], properties: { data, ...besideData } } } },
});

const one = (types: readonly string[]): object => ({
  allOf: [{ $ref: '#/components/schemas/Resource' }, { properties: { type: { type: 'string', enum: types } } }],
});

const besideData = {
  included: { type: 'array', items: { $ref: '#/components/schemas/Resource' } },
  links: { type: 'object' },
  meta: { type: 'object' },
};

function refusalsOf(row: ApiRow, isForbidden: (needs: Needs) => boolean): object {
  const { needs, query, body, open, method } = row;
  const isRead = method === 'GET';
  // A request that changes something names the media type even without a body.
  const hasDocument = !isRead && row.streamBytesMax === undefined;
  const described = {
    ...(Object.keys(query).length > 0 || body !== undefined ? { 400: 'The request cannot be read' } : {}),
    ...(open ? {} : { 401: 'No valid token' }),
    ...(isForbidden(needs) ? { 403: 'The caller may read the resource but not do this' } : {}),
    404: 'The resource does not exist, or the caller lacks the right',
    ...(isRead ? {} : { 413: 'The body is too large' }),
    ...(hasDocument ? { 415: 'The Content-Type is not that of JSON:API' } : {}),
    ...(hasDocument && body !== undefined ? { 422: 'Invalid document' } : {}),
    429: 'Too many requests',
    '5XX': 'The service is unavailable or has failed',
  };
  return Object.fromEntries(
    Object.entries(described).map(([status, description]) => [status, { ...refusal, description }]),
  );
}

const refusal = { content: { [mediaType]: { schema: { $ref: '#/components/schemas/Errors' } } } };
