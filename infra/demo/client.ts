/** A small client of the API, equivalent to the README's curl lines. Throws the errors of the reply. */
export class ApiClient {
  readonly #address: string;
  readonly #token: string;
  readonly #answerMsMax: number;

  /** @param answerMsMax time limit for a reply */
  constructor(address: string, token: string, answerMsMax = 30_000) {
    this.#address = address;
    this.#token = token;
    this.#answerMsMax = answerMsMax;
  }

  /** The same client for another caller. */
  as(token: string): ApiClient {
    return new ApiClient(this.#address, token, this.#answerMsMax);
  }

  async read<T>(path: string): Promise<T> {
    return (await this.#call<T>('GET', path)).data;
  }

  async write<T>(path: string, body: object = {}): Promise<T> {
    return (await this.#call<T>('POST', path, body)).data;
  }

  async merge<T>(path: string, body: object): Promise<T> {
    return (await this.#call<T>('PATCH', path, body, 'application/merge-patch+json')).data;
  }

  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path);
  }

  /** A request whose reply is a token. */
  async token(path: string, body: object): Promise<string> {
    const { auth } = await this.#call('POST', path, body);
    if (auth === null) throw new Error(`POST ${path}: the reply has no token`);
    return auth.client_token;
  }

  async #call<T>(method: string, path: string, body?: object, type = 'application/json'): Promise<Envelope<T>> {
    const answer = await fetch(`${this.#address}/v1/${path}`, {
      method,
      headers: { 'x-service-token': this.#token, ...(body === undefined ? {} : { 'content-type': type }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#answerMsMax),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.trim()}`);
    return text === '' ? ({ auth: null } as Envelope<T>) : (JSON.parse(text) as Envelope<T>);
  }
}

/** A reply without a body has no `data`. */
interface Envelope<T> {
  readonly data: T;
  readonly auth: { readonly client_token: string } | null;
}
