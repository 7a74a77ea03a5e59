/** A small client of the API, as the README's curl lines would be. Throws with the answer's own errors. */
export class ApiClient {
  readonly #address: string;
  readonly #token: string;
  readonly #answerMsMax: number;

  /** @param answerMsMax how long an answer may take */
  constructor(address: string, token: string, answerMsMax = 30_000) {
    this.#address = address;
    this.#token = token;
    this.#answerMsMax = answerMsMax;
  }

  read<T>(path: string): Promise<T> {
    return this.#call('GET', path);
  }

  write<T>(path: string, body: object = {}): Promise<T> {
    return this.#call('POST', path, body);
  }

  merge<T>(path: string, body: object): Promise<T> {
    return this.#call('PATCH', path, body, 'application/merge-patch+json');
  }

  delete(path: string): Promise<void> {
    return this.#call('DELETE', path);
  }

  async #call<T>(method: string, path: string, body?: object, type = 'application/json'): Promise<T> {
    const answer = await fetch(`${this.#address}/v1/${path}`, {
      method,
      headers: { 'x-service-token': this.#token, ...(body === undefined ? {} : { 'content-type': type }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#answerMsMax),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.trim()}`);
    return (text === '' ? undefined : (JSON.parse(text) as { data: T }).data) as T;
  }
}
