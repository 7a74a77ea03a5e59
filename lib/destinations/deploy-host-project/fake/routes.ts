import { z } from 'zod';
import type { Draft, Project, StoredVariable, Written } from './project.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

/** The API operations of the stand-in, by the names in the API reference. */
export type OperationName = 'filterProjectEnvs' | 'createProjectEnv' | 'editProjectEnv' | 'removeProjectEnv';

const pageSize = 100;

const draft = z.object({
  key: z.string().optional(),
  value: z.string().optional(),
  type: z.string().optional(),
  target: z.array(z.enum(['production', 'preview', 'development'])).optional(),
  comment: z.string().optional(),
  gitBranch: z.string().nullish(),
});
const drafts = z.union([z.array(draft), draft.transform((one) => [one])]);

/** The operation of a request, or undefined when the API has no such operation. */
export function operationOf({
  method,
  url,
}: Request): { readonly name: OperationName; readonly id: string } | undefined {
  const [, version, , , , id] = /^\/(v\d+)(\/projects)(\/[^/]+)(\/env)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (version === 'v10' && id === undefined && method === 'GET') return { name: 'filterProjectEnvs', id: '' };
  if (version === 'v10' && id === undefined && method === 'POST') return { name: 'createProjectEnv', id: '' };
  if (version === 'v9' && id !== undefined && method === 'PATCH') return { name: 'editProjectEnv', id };
  return version === 'v9' && id !== undefined && method === 'DELETE' ? { name: 'removeProjectEnv', id } : undefined;
}

export function serve(name: OperationName, id: string, request: Request, project: Project): Reply {
  if (name === 'filterProjectEnvs') return list(request.url, project);
  if (name === 'createProjectEnv') return create(request, project);
  const entry = project.variables.get(id);
  if (entry === undefined) return refuse(404, 'not_found', 'The environment variable was not found');
  if (name === 'editProjectEnv') return edit(entry, request, project);
  project.variables.delete(id);
  return { status: 200, body: shown(entry) };
}

export const refuse = (status: number, code: string, message: string, rest: object = {}): Reply => ({
  status,
  body: { error: { code, message, ...rest } },
});

function list({ searchParams }: URL, project: Project): Reply {
  const start = Number(searchParams.get('until') ?? 0);
  const all = [...project.variables.values()];
  const page = all.slice(start, start + pageSize);
  const next = start + pageSize < all.length ? start + pageSize : null;
  return { status: 200, body: { envs: page.map(listed), pagination: { count: page.length, next, prev: null } } };
}

/** Only lists show what the service considers unsafe about a variable. */
const listed = (entry: StoredVariable) => ({ ...shown(entry), securityIssues: [] });

/** When all are refused, the answer is an error, with a reason only if there was just one. */
function create({ url, body }: Request, project: Project): Reply {
  const parsed = drafts.safeParse(body);
  if (!parsed.success) return refuse(400, 'bad_request', 'Invalid request: should be object.');
  const upsert = url.searchParams.get('upsert') === 'true';
  const written = parsed.data.map((one) => ({ one, result: project.create(one, upsert) }));
  const created = written.flatMap(({ result }) => ('id' in result ? [shown(result)] : []));
  const failed = written.flatMap(({ one, result }) => ('id' in result ? [] : [{ error: failureOf(one, result) }]));
  const [first] = failed;
  if (created.length > 0 || first === undefined) return { status: 201, body: { created, failed } };
  if (failed.length === 1) return { status: 400, body: first };
  return refuse(400, 'BAD_REQUEST', 'No environment variables were created');
}

/** The service repeats the value beside its refusal. */
const failureOf = ({ key, value, target }: Draft, result: Exclude<Written, StoredVariable>) => ({
  ...result,
  envVarKey: key,
  target,
  value,
});

function edit(entry: StoredVariable, { body }: Request, project: Project): Reply {
  const parsed = draft.safeParse(body);
  if (!parsed.success) return refuse(400, 'bad_request', 'Invalid request: should be object.');
  const result = project.edit(entry, parsed.data);
  return 'id' in result ? { status: 200, body: shown(result) } : refuse(400, result.code, result.message);
}

/** Values come back encrypted. */
function shown({ value, gitBranch, ...entry }: StoredVariable) {
  return {
    ...entry,
    value: Buffer.from(`sealed:${value.length}`).toString('base64'),
    decrypted: false,
    configurationId: null,
    ...(gitBranch !== undefined && { gitBranch }),
  };
}
