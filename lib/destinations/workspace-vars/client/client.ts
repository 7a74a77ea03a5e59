import { type GuardedFetch, guardedFetch } from '#network/fetch.ts';
import { DestinationFailure, type DriverContext } from '../../contract.ts';
import { connectionFailed, noAnswer } from '../../frame/answer/no-answer.ts';
import { cached } from '../../frame/cached.ts';
import { cannot, unexpected } from '../../frame/verb/verb.ts';
import { type Answer, type Call, exchange } from '../exchange.ts';
import { refusedFailure, strangeHost } from '../failure.ts';
import { apiBase, type Connection } from '../fields/fields.ts';
import {
  type HostCategory,
  type Page,
  parsePage,
  parseVariable,
  parseWorkspace,
  type VariableRecord,
} from '../fields/record.ts';
import { type Target, variablesOf } from '../fields/target.ts';
import { allPages } from './pages.ts';

/** A variable to write. */
export interface Variable {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly category: HostCategory;
  readonly hcl: boolean;
  /** When absent, a new variable can be read, and an existing one stays as it is. */
  readonly sensitive?: true;
}

/**
 * The four calls on the variables of a target that we use
 * (https://developer.hashicorp.com/terraform/cloud-docs/api-docs/workspace-variables, and variable-sets).
 */
export interface Client {
  /** All variables, page by page. */
  list(): Promise<readonly VariableRecord[]>;
  /** One page of them. @param number begins with 1 */
  page(number: number, signal: AbortSignal): Promise<Page>;
  /** @throws DestinationFailure conflict, when a variable of this name and category exists */
  create(variable: Variable, signal: AbortSignal): Promise<VariableRecord>;
  /** @throws DestinationFailure missing, when the variable does not exist or the token may not change it */
  edit(id: string, variable: Variable, signal: AbortSignal): Promise<VariableRecord>;
  /** Resolves to whether the variable existed and the token may remove it. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** The host's maximum. */
const pageSize = 100;

/** A workspace may be removed and created anew under its name, with another id. */
const pathFreshMs = 10 * 60_000;

export function openClient(connection: Connection, target: Target, context: DriverContext): Client {
  const { network, timeouts, clock } = context;
  const guarded = guardedFetch(network, { ...timeouts, obtained: undefined });
  const ask = askWith(connection, guarded);
  const paths = cached(fetchPath, ({ fetchedAt }) => clock.now().getTime() - fetchedAt < pathFreshMs);

  async function fetchPath() {
    const path = 'variables' in target.path ? target.path.variables : await lookUp(target.path.workspace);
    return { path, fetchedAt: clock.now().getTime() };
  }

  async function lookUp(path: string): Promise<string> {
    const answer = await ask({ method: 'GET', path }, null);
    if (!isSuccess(answer)) throw cannot('look up the workspace', refusedFailure(target, answer));
    const { data } = understood(parseWorkspace(answer.body), 'workspace');
    return variablesOf(data.id);
  }

  /** A request on the variables. Throws unless the answer is any success: compatible hosts use different statuses. */
  async function call(
    request: Omit<Call, 'token' | 'url'> & { readonly rest: string },
    signal: AbortSignal | null,
  ): Promise<Answer> {
    const { rest, ...others } = request;
    const found = await paths.get(signal ?? never);
    const answer = await ask({ ...others, path: `${found.path}${rest}` }, signal);
    if (isSuccess(answer)) return answer;
    if (answer.status === 404) paths.drop(found);
    throw refusedFailure(target, answer);
  }

  async function fetchVariables(number: number, signal: AbortSignal | null = null): Promise<Page> {
    const query = new URLSearchParams({ 'page[number]': String(number), 'page[size]': String(pageSize) });
    const answer = await call({ method: 'GET', rest: `?${query}` }, signal);
    return understood(parsePage(answer.body), 'list of variables');
  }

  const list = () => allPages((number) => fetchVariables(number)).catch(notListed);

  return {
    list,
    page: (number, signal) => fetchVariables(number, signal).catch(notListed),
    create: async (variable, signal) => {
      const document = { data: { type: 'vars', attributes: variable } };
      const answer = await call({ method: 'POST', rest: '', document }, signal);
      return understood(parseVariable(answer.body), 'answer to a write').data;
    },
    edit: async (id, variable, signal) => {
      const document = { data: { type: 'vars', id, attributes: variable } };
      const answer = await call({ method: 'PATCH', rest: restOf(id), document }, signal);
      return understood(parseVariable(answer.body), 'answer to an edit').data;
    },
    remove: async (id, signal) => {
      const answer = await call({ method: 'DELETE', rest: restOf(id) }, signal).catch(undefinedIfMissing);
      if (answer === undefined) return false;
      const isClear = answer.status === 204 && answer.isSigned;
      const isDone = isClear || !(await list()).some((record) => record.id === id);
      if (!isDone) throw strangeHost('answer to a removal');
      return true;
    },
    close: guarded.close,
  };
}

type Ask = (
  request: Omit<Call, 'token' | 'url'> & { readonly path: string },
  signal: AbortSignal | null,
) => Promise<Answer>;

/** Calls the host, and resolves to its answer, whatever its status. */
function askWith(connection: Connection, { fetch, fetchListing }: GuardedFetch): Ask {
  const base = apiBase(connection);
  // The answer to a write contains the value, unless it is sensitive, and may escape its characters as \u1234.
  const fetchWritten = connection.sensitive ? fetch : fetchListing;
  return async ({ path, ...call }, signal) => {
    const send = call.method === 'GET' ? fetchListing : fetchWritten;
    const url = new URL(`${base}${path}`);
    return exchange(send, { ...call, url, token: connection.token }, signal).catch((error: unknown) => {
      throw signal?.aborted === true ? error : (noAnswer(error) ?? connectionFailed(undefined));
    });
  };
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

const never: AbortSignal = new AbortController().signal;

const restOf = (id: string): string => `/${encodeURIComponent(id)}`;

function notListed(error: unknown): never {
  throw cannot('list the variables', unexpected(error));
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof DestinationFailure && error.kind === 'missing') return undefined;
  throw error;
}

/** Leaves out the parser's message, which quotes the body. */
function understood<T>(parsed: { readonly data?: T | undefined }, what: string): T {
  if (parsed.data !== undefined) return parsed.data;
  throw strangeHost(what);
}
