import { guardedFetch } from '#network/fetch.ts';
import { strangeAdvice } from '#network/strange-answer.ts';
import { DestinationFailure, type DriverContext } from '../../contract.ts';
import { connectionFailed, noAnswer } from '../../frame/answer/no-answer.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import { cannot, unexpected } from '../../frame/verb/verb.ts';
import { type Answer, type Call, exchange } from '../exchange.ts';
import { refusedFailure } from '../failure.ts';
import { type Connection, publicApi } from '../fields.ts';
import { parseCreation, parsePage, parseRemoval, parseVariable, type VariableRecord } from './record.ts';

/** A variable to write. */
export interface Variable {
  readonly key: string;
  readonly value: string;
  readonly target: readonly string[];
  readonly comment: string;
}

export interface VariablePage {
  readonly records: readonly VariableRecord[];
  /** The cursor of the page that follows. */
  readonly next: string | null;
}

export interface Creation {
  readonly created: readonly VariableRecord[];
  readonly failed: readonly { readonly name: string | null | undefined; readonly code: string }[];
}

/** The four calls on a project's variables that we use (https://vercel.com/docs/rest-api/projects). */
export interface Client {
  /** All variables, page by page, without readable values. */
  list(): Promise<readonly VariableRecord[]>;
  /** One page of them: the first, or the one at a cursor. */
  page(at: string | null, signal: AbortSignal): Promise<VariablePage>;
  /** With `upsert`, an existing variable of the same name and the same environments gets the value. */
  create(variables: readonly Variable[], upsert: boolean, signal: AbortSignal): Promise<Creation>;
  /** Resolves to undefined when the variable does not exist any more. */
  edit(id: string, change: Partial<Omit<Variable, 'key'>>, signal: AbortSignal): Promise<VariableRecord | undefined>;
  /** Resolves to whether the variable existed. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** More pages than any project can have: 1000 variables for each of a few environments. */
const pagesMax = 200;

/**
 * `encrypted`, not `sensitive`: the host refuses sensitive variables for development, and a sensitive variable can never be read
 * again or change its type.
 */
const variableType = 'encrypted';

export function openClient(connection: Connection, { network, timeouts, clock }: DriverContext): Client {
  const { fetch, fetchListing, close } = guardedFetch(network, { ...timeouts, obtained: undefined });
  const project = `project ${connection.project_id}`;

  function urlOf(version: string, rest: string, query: Readonly<Record<string, string>> = {}): URL {
    const path = `${version}/projects/${encodeURIComponent(connection.project_id)}/env${rest}`;
    const url = new URL(`${baseUrl(connection.endpoint ?? publicApi)}/${path}`);
    const team = connection.team_id === undefined ? {} : { teamId: connection.team_id };
    url.search = new URLSearchParams({ ...team, ...query }).toString();
    return url;
  }

  /** With `absent`, a 404 is returned, because it may mean the variable; otherwise it is thrown. */
  async function call(request: Omit<Call, 'token'>, signal: AbortSignal | null, absent = false) {
    // A project may have 1000 variables per environment, and a listing carries their encrypted values.
    const send = request.method === 'GET' ? fetchListing : fetch;
    const answer = await exchange(send, { ...request, token: connection.access_token }, signal).catch(
      (error: unknown) => {
        throw signal?.aborted === true ? error : (noAnswer(error) ?? connectionFailed(undefined));
      },
    );
    if (isSuccess(answer) || (absent && answer.status === 404)) return answer;
    throw refusedFailure(project, answer, clock);
  }

  async function page(at: string | null, signal: AbortSignal | null): Promise<VariablePage> {
    const url = urlOf('v10', '', at === null ? {} : { until: at });
    const answer = await call({ method: 'GET', url }, signal).catch(notListed);
    const { envs, pagination } = understood(parsePage(answer.body), 'list of variables');
    return { records: envs, next: pagination?.next == null ? null : String(pagination.next) };
  }

  async function list(): Promise<readonly VariableRecord[]> {
    const records: VariableRecord[] = [];
    let at: string | null = null;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const read: VariablePage = await page(at, null);
      records.push(...read.records);
      if (read.next === null) return records;
      at = read.next;
    }
    throw new DestinationFailure('quota', `${project} has more than ${pagesMax} pages of variables`);
  }

  return {
    list,
    page,
    create: async (variables, upsert, signal) => {
      const url = urlOf('v10', '', upsert ? { upsert: 'true' } : {});
      const body = variables.map((variable) => ({ ...variable, type: variableType }));
      const answer = await call({ method: 'POST', url, body }, signal);
      return understood(parseCreation(answer.body), 'answer to a write');
    },
    edit: async (id, body, signal) => {
      const url = urlOf('v9', `/${encodeURIComponent(id)}`);
      const answer = await call({ method: 'PATCH', url, body }, signal, true);
      return answer.status === 404 ? undefined : understood(parseVariable(answer.body), 'answer to an edit');
    },
    remove: async (id, signal) => {
      const url = urlOf('v9', `/${encodeURIComponent(id)}`);
      const answer = await call({ method: 'DELETE', url }, signal, true);
      if (answer.status === 404) return false;
      understood(parseRemoval(answer.body), 'answer to a removal');
      return true;
    },
    close,
  };
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

function notListed(error: unknown): never {
  throw cannot('list the variables', unexpected(error));
}

/** Leaves out the parser's message, which quotes the body. */
function understood<T>(parsed: { readonly data?: T | undefined }, what: string): T {
  if (parsed.data !== undefined) return parsed.data;
  throw new DestinationFailure('unavailable', `the service did not send a valid ${what}: ${strangeAdvice}`);
}
