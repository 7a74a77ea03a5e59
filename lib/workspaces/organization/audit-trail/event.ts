import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';

/** A change that was made in an organization. It holds names and ids, and nothing of what was sent. */
export interface TrailEvent {
  readonly organizationId: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly requestId: string;
  readonly resourceId: string;
  readonly resourceType: string;
  readonly action: string;
}

/** Of every text of an event. */
const charactersMax = 255;

/** What a row changes, as its path alone says it. */
export interface Change {
  readonly resourceType: string;
  /** Of the path: names the resource where the reply does not. */
  readonly parameter: string | undefined;
  readonly action: string;
}

const verbs = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'destroy', GET: 'read' } as const;
const linkVerbs = { POST: 'add', PATCH: 'replace', PUT: 'replace', DELETE: 'remove', GET: 'read' } as const;

/**
 * `…/runs/:run_id/actions/apply` is `apply` of a `run`, `…/teams/:team_id/relationships/users` is `add_users` to a `team`; else
 * the last name of the path says the type, and the method the action.
 */
export function changeOf({ method, path }: Pick<ApiRow, 'method' | 'path'>): Change {
  const segments = path.split('/').slice(1);
  const parameter = segments.findLast((segment) => segment.startsWith(':'))?.slice(1);
  const [kind, name] = segments.slice(-2);
  const special = name !== undefined && (kind === 'actions' || kind === 'relationships');
  const owner = special ? segments.slice(0, -2) : segments;
  const type = owner.findLast((segment) => !segment.startsWith(':')) ?? '';
  const common = { resourceType: typeOf(type), parameter };
  if (!special) return { ...common, action: verbs[method] };
  return { ...common, action: underscored(kind === 'actions' ? name : `${linkVerbs[method]}_${name}`) };
}

/** Undefined: it was made in no organization. */
export function eventOf(change: Change, call: ApiCall, reply: ApiReply | undefined): TrailEvent | undefined {
  const { caller } = call;
  const [organizationId] = caller.actsIn;
  if (organizationId === undefined) return undefined;
  const resource = resourceIn(reply);
  const named = change.parameter === undefined ? '' : (call.parameters[change.parameter] ?? '');
  return {
    organizationId,
    actorId: caller.id,
    actorName: short(caller.kind === 'user' ? caller.username : caller.id),
    requestId: short(call.requestId),
    resourceId: short(resource?.id ?? named),
    resourceType: resource === undefined ? change.resourceType : typeOf(resource.type),
    action: change.action,
  };
}

function resourceIn(reply: ApiReply | undefined): { readonly id: string; readonly type: string } | undefined {
  if (reply === undefined || !('data' in reply) || reply.data === null) return undefined;
  return 'type' in reply.data ? reply.data : undefined;
}

/** `ssh-keys` as `ssh_key`. */
const typeOf = (name: string): string =>
  underscored(name)
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1');

const underscored = (name: string): string => name.replaceAll('-', '_');

const short = (text: string): string => text.slice(0, charactersMax);
