/**
 * The outcome of a request as its client sees it. `done` and `refused` (nothing was changed) are answers. `unknown` is no answer or a
 * server error: the change may have been made or not.
 */
export type Answered =
  | { readonly kind: 'done'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** Longer than the server's own limits, so that a request has ended there when its client gives up. */
const answerMsMax = 12_000;

/** `path` is below `/v1/`. Never rejects. */
export type Call = (method: string, path: string, body?: object) => Promise<Answered>;

/** Sends each request to one of the API's processes. `reasons` counts the reasons for missing answers. */
export function openClient(token: string, address: () => string, reasons: Map<string, number>): Call {
  const unknown = (text: string): Answered => {
    const reason = text
      .replaceAll(/\d{2,}/g, 'N')
      .slice(0, 90)
      .trim();
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    return { kind: 'unknown', text };
  };
  return async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    try {
      const answer = await fetch(`${address()}/v1/${path}`, {
        method,
        headers: { 'x-service-token': token, ...(body === undefined ? {} : { 'content-type': type }) },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(answerMsMax),
      });
      const text = await answer.text();
      return answer.status >= 500 ? unknown(`error ${answer.status}: ${text}`) : read(answer.status, text);
    } catch (cause) {
      return unknown(cause instanceof Error ? `${cause.message} ${String(cause.cause ?? '')}` : String(cause));
    }
  };
}

function read(status: number, text: string): Answered {
  if (status >= 400) return { kind: 'refused', status, text };
  const body: unknown = text === '' ? {} : JSON.parse(text);
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  return { kind: 'done', data: typeof data === 'object' && data !== null ? { ...data } : {} };
}
