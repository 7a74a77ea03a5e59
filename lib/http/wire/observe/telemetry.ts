/** A request as it was received: its verb and its `traceparent` header as sent. */
export interface ReceivedRequest {
  readonly method: string;
  readonly traceparent: string | undefined;
}

/** What is reported of a request when its answer is known. Nothing of it was chosen by who sent the request. */
export interface AnsweredRequest {
  /** One of the verbs that there are, or `other`. */
  readonly method: string;
  /** Type of the engine and pattern of the row, or `none`. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The port to what measures and traces requests. Its calls never fail by themselves. */
export interface RequestTelemetry {
  /** Runs the work of one request, which calls `answered` once, and answers its result. */
  request<Result>(
    received: ReceivedRequest,
    work: (answered: (request: AnsweredRequest) => void) => Promise<Result>,
  ): Promise<Result>;
  /** A request that was answered before the pipeline saw it. */
  refused(request: AnsweredRequest): void;
}

export const noTelemetry: RequestTelemetry = { request: (_received, work) => work(() => {}), refused() {} };
