import { z } from 'zod';
import { type Answer, parseJson, type Question } from '../../frame/fake/rest.ts';
import { notFound, type Owner, pagedList, refuse, resourceOf, unprocessable, wholeList } from './documents.ts';
import type { StoredVariable, Variables, Written } from './variables.ts';

/** A workspace or a variable set of the stand-in. */
export interface Place {
  readonly owner: Owner;
  readonly variables: Variables;
  /** The names of a workspace and its organization. */
  readonly names?: { readonly organization: string; readonly workspace: string };
}

/** The operation of a request, by the names in the host's client library. */
export type Operation =
  | { readonly name: 'Workspaces.Read'; readonly place: Place | undefined }
  | {
      readonly name: `${'Variables' | 'VariableSetVariables'}.${'List' | 'Create' | 'Update' | 'Delete'}`;
      readonly place: Place | undefined;
      readonly variableId: string | undefined;
    };

const verbs = { GET: 'List', POST: 'Create', PATCH: 'Update', DELETE: 'Delete' } as const;

/** The operation of a request, or undefined when the API has no such operation. */
export function operationOf({ method, path }: Question, places: readonly Place[]): Operation | undefined {
  const [api, version, ...rest] = path;
  if (api !== 'api' || version !== 'v2') return undefined;
  const [kind, id, third, fourth, fifth] = rest;
  if (kind === 'organizations' && third === 'workspaces' && rest.length === 4 && method === 'GET') {
    const place = places.find(({ names }) => names?.organization === id && names?.workspace === fourth);
    return { name: 'Workspaces.Read', place };
  }
  const verb = Object.entries(verbs).find(([name]) => name === method)?.[1];
  const isSet = kind === 'varsets' && third === 'relationships' && fourth === 'vars';
  const isWorkspace = kind === 'workspaces' && third === 'vars';
  const variableId = isSet ? fifth : fourth;
  const isOfOne = verb === 'Update' || verb === 'Delete';
  if (verb === undefined || !(isSet || isWorkspace) || isOfOne !== (variableId !== undefined)) return undefined;
  const place = places.find(({ owner }) => owner.type === kind && owner.id === id);
  return { name: `${isSet ? 'VariableSetVariables' : 'Variables'}.${verb}`, place, variableId };
}

const draft = z.object({
  key: z.string().optional(),
  value: z.string().optional(),
  description: z.string().optional(),
  category: z.string().optional(),
  hcl: z.boolean().optional(),
  sensitive: z.boolean().optional(),
});
const document = z.object({ data: z.object({ type: z.literal('vars'), attributes: draft }) });

/** @param mayWrite whether the token may change variables; if not, a change gets the 404 of a missing resource */
export function serve(operation: Operation, question: Question, mayWrite: boolean): Answer {
  const { place } = operation;
  if (place === undefined) return notFound;
  if (operation.name === 'Workspaces.Read') return workspaceOf(place);
  const isChange = !operation.name.endsWith('.List');
  if (isChange && question.headers['content-type'] !== 'application/vnd.api+json') return wrongType;
  if (isChange && !mayWrite) return notFound;
  return serveVariables(place, question, operation.variableId);
}

const wrongType = refuse(415, 'invalid content type', { detail: 'content-type must be application/vnd.api+json' });

function serveVariables({ owner, variables }: Place, question: Question, id: string | undefined): Answer {
  const { method, query, body } = question;
  const all = [...variables.byId.values()];
  if (method === 'GET') return owner.type === 'varsets' ? pagedList(all, owner, query) : wholeList(all, owner);
  const entry = variables.byId.get(id ?? '');
  if (method !== 'POST' && entry === undefined) return notFound;
  if (method === 'DELETE') {
    variables.byId.delete(id ?? '');
    return { status: 204 };
  }
  const parsed = document.safeParse(parseJson(body));
  if (!parsed.success) return refuse(422, 'unprocessable entity', { detail: 'data is missing or malformed' });
  const { attributes } = parsed.data.data;
  if (entry === undefined) return written(variables.create(attributes), 201, owner);
  return written(variables.edit(entry, attributes), 200, owner);
}

const isStored = (result: Written): result is StoredVariable => 'id' in result;

const written = (result: Written, status: number, owner: Owner): Answer =>
  isStored(result) ? { status, body: { data: resourceOf(result, owner) } } : unprocessable(result);

const workspaceOf = ({ owner, names }: Place): Answer => ({
  status: 200,
  body: { data: { id: owner.id, type: 'workspaces', attributes: { name: names?.workspace } } },
});
