/** One member of the `errors` of a JSON:API document. */
export interface Problem {
  readonly title: string;
  /** For the caller. It never contains a secret value. */
  readonly detail?: string;
  /** JSON pointer into the body that was sent. */
  readonly pointer?: string;
}

/** An error reply of the workspace service: titles are fixed texts, details may quote the request. */
export class ProblemError extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, problems: Problem | readonly Problem[], options?: ErrorOptions) {
    const list = 'title' in problems ? [problems] : problems;
    super(list.map(({ title, detail }) => (detail === undefined ? title : `${title}: ${detail}`)).join('; '), options);
    this.status = status;
    this.problems = list;
  }
}

/** Status of an error reply of a handler. 401, 415 and 429 belong to the pipeline. */
export type ErrorStatus = 400 | 403 | 404 | 409 | 412 | 413 | 422 | 503;

/** An error reply of the workspace service that handlers throw. */
export class ApiError extends ProblemError {
  override readonly name = 'ApiError';
  declare readonly status: ErrorStatus;

  constructor(status: ErrorStatus, problems: Problem | readonly Problem[], options?: ErrorOptions) {
    super(status, problems, options);
  }
}

/** 404: it does not exist, or the caller has no read access to it. */
export const notFound = (): ApiError => new ApiError(404, { title: 'not found' });

/** 400: the request cannot be read. */
export const badRequest = (detail: string): ApiError => new ApiError(400, { title: 'bad request', detail });

/** 403: the caller may read the resource but not do this. */
export const forbidden = (detail?: string): ApiError =>
  new ApiError(403, { title: 'forbidden', ...(detail === undefined ? {} : { detail }) });

/** 409: a transition that the current status does not allow; clients look for the title. */
export const transitionRefused = (detail: string): ApiError =>
  new ApiError(409, { title: 'transition not allowed', detail });

/** 409: the current state of the resource does not allow the change. */
export const conflict = (detail: string): ApiError => new ApiError(409, { title: 'conflict', detail });

/** 422 about an attribute of the document, by its name in it. */
export const invalidAttribute = (name: string, detail: string): ApiError =>
  new ApiError(422, { title: 'invalid attribute', detail, pointer: `/data/attributes/${name}` });

/** 422 about the document, such as a relationship to a missing resource. */
export const unprocessable = (detail: string, options?: ErrorOptions): ApiError =>
  new ApiError(422, { title: 'unprocessable entity', detail }, options);

/** 503: a retry after a short time will succeed. */
export const notYet = (detail: string): ApiError => new ApiError(503, { title: 'service unavailable', detail });
