/**
 * A stand-in for an external system: a real HTTP(S) server on 127.0.0.1 and a free port, with the provider's documented
 * limits, names, errors and quirks. Each type's `fake.ts` exports `startFake: StartFake`.
 */
export type StartFake = (options?: { readonly port?: number }) => Promise<Fake>;

export interface Fake {
  /** Base URL, for the destination's `endpoint` field. */
  readonly url: string;
  /** A request body for `POST sys/sync/destinations/<type>/<name>` that reaches this stand-in with valid credentials. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** The values that a reader of the external system would get now, by name. Sealed values are decrypted. */
  objects(): ReadonlyMap<string, FakeObject>;
  /** Adds a foreign object, which replaces an existing one of that name. */
  seed(name: string, value: string): void;
  /** Gives an existing object another value, as a user does by hand. It stays the same object. */
  change(name: string, value: string): void;
  /** Calls of the external system since the start, by operation name. */
  calls(): ReadonlyMap<string, number>;
  /** Makes the next `times` matching calls fail in this way (default: until `heal`). */
  fail(fault: Fault): void;
  heal(): void;
  /** From now on this limit decides which calls are throttled. */
  limit(limit: CallLimit): void;
  /** Ends the server and its open connections. */
  close(): Promise<void>;
}

/** Decides whether a call is throttled: for how many seconds, or undefined if it is not. */
export type CallLimit = (call: { readonly writes: boolean }) => number | undefined;

export interface FakeObject {
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * - `throttle`: the provider's own rate-limit answer, with `retryAfterSeconds` in its form.
 * - `unavailable`: 5xx. `denied`: the provider's answer to a missing permission. `credentials`: to wrong credentials.
 * - `hang`: receives the request and never answers. `reset`: destroys the socket.
 * - `lost-answer`: applies the request, then destroys the socket.
 * - `late`: receives the request, never answers, and applies it after `lateMs`.
 */
export interface Fault {
  readonly kind: 'throttle' | 'unavailable' | 'denied' | 'credentials' | 'hang' | 'reset' | 'lost-answer' | 'late';
  readonly times?: number;
  /** The number of matching calls that succeed before the fault. */
  readonly after?: number;
  readonly retryAfterSeconds?: number;
  /** Default: 1,000. */
  readonly lateMs?: number;
}
