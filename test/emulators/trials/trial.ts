/**
 * A **trial** runs our suites against a program of others:
 * - an **emulator** replaces our own stand-in for an external system;
 * - an **oracle** is the provider's description of its API: each request of a driver, and each answer of our stand-in,
 *   must match it.
 */
export interface Trial {
  readonly name: string;
  /** Text for users: the operations and rules that it covers. */
  readonly covers: string;
  /** Destination type. */
  readonly type: string;
  /** Test files, relative to the root of the repository. */
  readonly suites: readonly string[];
  readonly gaps: readonly Gap[];
  /** Justified differences from an oracle. */
  readonly allowed: readonly Allowed[];
  /** What the relay changes because the emulator differs from the real system, so that the trial does not cover it. */
  readonly adapted?: readonly string[];
  /** What covers the type if this machine cannot run the trial. */
  readonly meanwhile?: string;
  /** Installs and starts the program. @throws Unavailable */
  prepare(folder: string): Promise<Ready>;
}

/**
 * A known difference of the program from the real system. Its tests must fail: a test that passes shows that the gap is closed,
 * and fails the run until the gap is removed from the list.
 */
export interface Gap {
  readonly test: RegExp;
  readonly reason: string;
}

/** A difference that must occur, like a gap. */
export interface Allowed {
  /** Matches a text such as `operation: query parameter x is not described`. */
  readonly difference: RegExp;
  readonly reason: string;
}

export interface Ready {
  /** Name and version of the program. */
  readonly version: string;
  readonly given: Partial<Omit<Given, 'type' | 'gaps' | 'allowed'>>;
  close(): Promise<void>;
}

/** The data that test files get. */
export interface Given {
  readonly type: string;
  readonly gaps: readonly { readonly pattern: string; readonly reason: string }[];
  readonly allowed: readonly { readonly pattern: string; readonly reason: string }[];
  /** Address of the module whose `startFake` replaces our stand-in. */
  readonly standIn: string | undefined;
  /** Base URL of the emulator. */
  readonly emulator: string;
  /** PEM of the emulator's certificate; empty for plain HTTP. */
  readonly certificate: string;
  /** Address of the module whose `openOracle` judges each exchange. */
  readonly oracle: string | undefined;
  /** Folder with the npm packages of the oracles. */
  readonly packages: string;
}

/** Thrown when this machine cannot run a trial. The message says what is missing. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly trial: Given;
  }
  interface TaskMeta {
    /** Why this test is expected to fail. */
    gap?: string;
    /** Requests judged, by operation. */
    judged?: Record<string, number>;
    /** Allowed differences, by reason. */
    waived?: Record<string, number>;
  }
}
