// Beyond the usual files: the SDK takes neither a path as endpoint nor a signal, and loses Retry-After.
import type { AsyncLocalStorage } from 'node:async_hooks';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { refuseStranger } from './answer.ts';
import { readApiError } from './api-error.ts';

/**
 * The fetch that the SDK makes its calls with.
 *
 * - It goes to `endpoint` if there is one. The SDK itself can take another host, but neither http nor a path.
 * - An answer that is not a success is read here: what the SDK makes of it has lost the header Retry-After, and parts of the
 *   details.
 * - It ends with the signal of the call that it belongs to: the SDK hands none through.
 * - Redirects are not followed.
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
    // Only the request of a new version holds a value, which an error text could repeat.
    if (!response.ok) throw await readApiError(response, !url.pathname.endsWith(':addVersion'));
    await refuseStranger(method, url, response.clone());
    return response;
  };
}

/** No whole answer came; the cause says why. */
export class Unanswered extends Error {
  constructor(cause: unknown) {
    super('the service gave no answer', { cause });
    this.name = 'Unanswered';
  }
}

/** The answer with its body. */
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

/** The SDK adds members of its own. */
function wanted({ method = 'GET', headers, body }: RequestInit): RequestInit {
  return { method, ...(headers !== undefined && { headers }), ...(body !== undefined && { body }) };
}

function rebase(url: string, endpoint: string | undefined): URL {
  const { pathname, search } = new URL(url);
  return new URL(endpoint === undefined ? url : `${baseUrl(endpoint)}${pathname}${search}`);
}
