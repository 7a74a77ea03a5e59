import type { ApiRequest, ApiRow, RowReply } from '#path/jsonapi/row.ts';

/** A change in an organization: names and ids only, never the data that was sent. */
export interface TrailEvent {
  readonly organizationId: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly requestId: string;
  readonly resourceId: string;
  readonly resourceType: string;
  readonly action: string;
}

/** Length limit of each string in an event. */
const charactersMax = 255;

/** The change that a row records, derived from its path. */
export interface Change {
  readonly resourceType: string;
  /** The path parameter with the id of the resource, for replies without one. */
  readonly parameter: string | undefined;
  readonly action: string;
}

const verbs = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'destroy', GET: 'read' } as const;
const linkVerbs = { POST: 'add', PATCH: 'replace', PUT: 'replace', DELETE: 'remove', GET: 'read' } as const;

/**
 * `…/runs/:run_id/actions/apply` is `apply` of a `run`, `…/teams/:team_id/relationships/users` is `add_users` to a `team`. In
 * all other cases the last name of the path is the type, and the method determines the action.
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

/** Undefined when the change does not belong to an organization. */
export function eventOf(
  change: Change,
  { caller, parameters, requestId }: ApiRequest,
  reply: RowReply,
): TrailEvent | undefined {
  const [organizationId] = caller.actsIn;
  if (organizationId === undefined) return undefined;
  const resource = resourceIn(reply);
  const named = change.parameter === undefined ? '' : (parameters[change.parameter] ?? '');
  return {
    organizationId,
    actorId: caller.id,
    actorName: short(caller.kind === 'user' ? caller.username : caller.id),
    requestId: short(requestId),
    resourceId: short(resource?.id ?? named),
    resourceType: resource === undefined ? change.resourceType : typeOf(resource.type),
    action: change.action,
  };
}

function resourceIn(reply: RowReply): { readonly id: string; readonly type: string } | undefined {
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
