/** What the stand-in host answers. */
export interface Answer {
  readonly status: number;
  /** Undefined: an empty body. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const documentation = 'https://docs.github.com/rest';

export const json = (body: object, status = 200): Answer => ({ status, body });
export const empty: Answer = { status: 204 };

/** An error in the host's form. */
export const problem = (status: number, message: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  body: { message, documentation_url: documentation, status: String(status) },
  headers,
});

export const notFound = problem(404, 'Not Found');
export const badCredentials = problem(401, 'Bad credentials');
export const unprocessable = (message: string): Answer => problem(422, message);
