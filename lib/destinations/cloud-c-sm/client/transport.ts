// Beyond the usual files: the SDK accepts neither a path in the endpoint nor a signal, loses Retry-After, and trusts any answer.
import type { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { StrangeAnswer } from '#network/strange-answer.ts';
import { jsonIn } from '../../frame/answer/remote-text.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import { readApiError } from './api-error.ts';

/**
 * The fetch for the calls of the SDK.
 *
 * - It calls `endpoint` if that is set. The SDK itself accepts another host, but neither http nor a path.
 * - It parses refusals: the SDK's errors lack the header Retry-After and parts of the details.
 * - It ends with the signal of its call, which the SDK does not pass on.
 * - It does not follow redirects.
 *
 * Throws `ApiError`, `StrangeAnswer` or `Unanswered`.
 */
export function transport(
  fetch: typeof globalThis.fetch,
  endpoint: string | undefined,
  signals: AsyncLocalStorage<AbortSignal>,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = rebase(input instanceof Request ? input.url : String(input), endpoint);
    const signal = AbortSignal.any([init.signal, signals.getStore()].filter((given) => given instanceof AbortSignal));
    const { method = 'GET', ...request } = wanted(init);
    const response = await receive(fetch, url, { ...request, method, signal, redirect: 'manual' });
    // Only the request for a new version holds a value, which an error text could repeat.
    if (!response.ok) throw await readApiError(response, !url.pathname.endsWith(':addVersion'));
    await refuseStranger(method, url, response.clone());
    return response;
  };
}

/** The request failed before a complete answer; `cause` says why. */
export class Unanswered extends Error {
  constructor(cause: unknown) {
    super('the service gave no answer', { cause });
    this.name = 'Unanswered';
  }
}

/** Reads the answer with its body. */
async function receive(fetch: typeof globalThis.fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    const { status, headers, ...answer } = await withBody(await fetch(url, init));
    return new Response(answer.body, { status, headers });
  } catch (cause) {
    throw new Unanswered(cause);
  }
}

async function withBody(response: Response) {
  const bytes = await response.arrayBuffer();
  return { status: response.status, headers: [...response.headers], body: bytes.byteLength === 0 ? null : bytes };
}

/** Drops the members that the SDK adds. */
function wanted({ method = 'GET', headers, body }: RequestInit): RequestInit {
  return { method, ...(headers !== undefined && { headers }), ...(body !== undefined && { body }) };
}

function rebase(url: string, endpoint: string | undefined): URL {
  const { pathname, search } = new URL(url);
  return new URL(endpoint === undefined ? url : `${baseUrl(endpoint)}${pathname}${search}`);
}

/** https://cloud.google.com/secret-manager/docs/reference/rest, the operations of secrets and their versions. */
const pathForm = /\/projects\/[^/]+\/secrets(?:\/([^/:]+))?(\/versions)?(?:\/([^/:]+))?(?::(\w+))?$/;

const named = z.object({ name: z.string() });
const listing = z.object({ versions: z.array(named).optional(), nextPageToken: z.string().optional() });
const secretListing = z.object({ secrets: z.array(named).optional(), nextPageToken: z.string().optional() });
const nothing = z.strictObject({});

/**
 * Refuses a successful answer that is not about the requested secret. The SDK ignores unknown members, so it would accept any JSON
 * or an empty body.
 *
 * @throws StrangeAnswer
 */
export async function refuseStranger(method: string, url: URL, response: Response): Promise<void> {
  if (response.status !== 200) throw new StrangeAnswer(`status ${response.status} is not one of its successes`);
  const body = jsonIn(await response.text());
  if (body === undefined) throw new StrangeAnswer('it is not JSON');
  const problem = problemOf(method, url, body);
  if (problem !== undefined) throw new StrangeAnswer(problem);
}

function problemOf(method: string, { pathname, searchParams }: URL, body: unknown): string | undefined {
  const [, given, versions, version, action] = pathForm.exec(pathname) ?? [];
  const id = given ?? searchParams.get('secretId') ?? '';
  if (method === 'GET' && pathname.endsWith('/secrets'))
    return isSecretListing(body) ? undefined : 'it is not a list of secrets';
  if (method === 'DELETE') return nothing.safeParse(body).success ? undefined : 'it is not an answer to a removal';
  if (versions !== undefined && version === undefined)
    return isListing(id, body) ? undefined : 'it is not a list of versions';
  const { data } = named.safeParse(body);
  const isVersion = version !== undefined || action === 'addVersion';
  const form = isVersion ? versionForm : secretForm;
  return data !== undefined && form.exec(data.name)?.[1] === id ? undefined : 'it names another secret';
}

// The provider's names contain the number of the project, even if the request had its id.
const secretForm = /^projects\/[^/]+\/secrets\/([^/]+)$/;
const versionForm = /^projects\/[^/]+\/secrets\/([^/]+)\/versions\/\d+$/;

function isSecretListing(body: unknown): boolean {
  const { data } = secretListing.safeParse(body);
  if (data === undefined) return false;
  if (data.secrets === undefined) return isEmptyListing(body);
  return data.secrets.every(({ name }) => secretForm.test(name));
}

/** The last page may be empty, and then even the list is missing. */
const isEmptyListing = (body: unknown): boolean =>
  z.strictObject({ totalSize: z.number().optional(), nextPageToken: z.string().optional() }).safeParse(body).success;

function isListing(id: string, body: unknown): boolean {
  const { data } = listing.safeParse(body);
  if (data === undefined) return false;
  if (data.versions === undefined) return isEmptyListing(body);
  return data.versions.every(({ name }) => versionForm.exec(name)?.[1] === id);
}
