/** A request as it was received: its verb and its `traceparent` header as sent. */
export interface ReceivedRequest {
  readonly method: string;
  readonly traceparent: string | undefined;
}

/** What is reported of a request when its answer is known. The client chose none of these values. */
export interface AnsweredRequest {
  /** A verb of the API, or `other`. */
  readonly method: string;
  /** Type of the engine and pattern of the row, or `none`. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The port for measuring and tracing requests. It adds no failures. */
export interface RequestTelemetry {
  /** Runs the work of one request and returns its result. The work calls `answered` once. */
  request<Result>(
    received: ReceivedRequest,
    work: (answered: (request: AnsweredRequest) => void) => Promise<Result>,
  ): Promise<Result>;
  /** Reports a request that was answered before the pipeline received it. */
  refused(request: AnsweredRequest): void;
}

export const noTelemetry: RequestTelemetry = { request: (_received, work) => work(() => {}), refused() {} };
