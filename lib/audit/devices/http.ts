import { type GuardedFetch, guardedFetch } from '#network/fetch.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { NotRecorded, type Outlet } from './outlet.ts';

/** Posts lines; each batch is one request. */
export class HttpOutlet implements Outlet {
  readonly #uri: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #guarded: GuardedFetch;

  constructor(uri: string, headers: Readonly<Record<string, string>>, policy: NetworkPolicy, limitMs: number) {
    this.#uri = uri;
    this.#headers = headers;
    this.#guarded = guardedFetch(policy, { connectMs: limitMs, requestMs: limitMs, obtained: undefined });
  }

  async write(lines: readonly string[], limitMs: number): Promise<void> {
    const { status } = await this.#guarded.fetch(this.#uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...this.#headers },
      body: lines.join(''),
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
    if (status < 200 || status > 299) throw new NotRecorded(`the answer is ${status}`);
  }

  close(): Promise<void> {
    return this.#guarded.close();
  }
}
