/** One member of the `errors` of a JSON:API document. */
export interface Problem {
  readonly title: string;
  /** For the caller; it never holds a secret value. */
  readonly detail?: string;
  /** JSON pointer into the body that was sent. */
  readonly pointer?: string;
}

/** A refusal in the words of the workspace service: titles are fixed texts, details may quote what was sent. */
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

/** Of an answer that is an error (reference, workspaces 1.11). 401, 415 and 429 belong to the pipeline. */
export type ErrorStatus = 400 | 403 | 404 | 409 | 412 | 413 | 422 | 503;

/** A refusal of the workspace service, as its clients know it. */
export class ApiError extends ProblemError {
  override readonly name = 'ApiError';
  declare readonly status: ErrorStatus;

  constructor(status: ErrorStatus, problems: Problem | readonly Problem[], options?: ErrorOptions) {
    super(status, problems, options);
  }
}

/** 404: it is not there, or the caller may not know that it is. */
export const notFound = (): ApiError => new ApiError(404, { title: 'not found' });

/** 400: the request cannot be read. */
export const badRequest = (detail: string): ApiError => new ApiError(400, { title: 'bad request', detail });

/** 403: the caller may see it and may not do this. */
export const forbidden = (detail?: string): ApiError =>
  new ApiError(403, { title: 'forbidden', ...(detail === undefined ? {} : { detail }) });

/** 409: the state of the thing does not allow it. */
/** 409: a step that a thing cannot take from where it is; clients look for the title. */
export const transitionRefused = (detail: string): ApiError =>
  new ApiError(409, { title: 'transition not allowed', detail });

export const conflict = (detail: string): ApiError => new ApiError(409, { title: 'conflict', detail });

/** 422 about an attribute of the document, by its name in it. */
export const invalidAttribute = (name: string, detail: string): ApiError =>
  new ApiError(422, { title: 'invalid attribute', detail, pointer: `/data/attributes/${name}` });

/** 422 about the document, such as a relationship that leads nowhere. */
export const unprocessable = (detail: string): ApiError => new ApiError(422, { title: 'unprocessable entity', detail });

/** 503: it will be possible in a short time. */
export const notYet = (detail: string): ApiError => new ApiError(503, { title: 'service unavailable', detail });
