/**
 * A **trial** runs our suites against a program that nobody here wrote:
 * - an **emulator** stands in for an external system, instead of our own stand-in;
 * - an **oracle** is the provider's description of its API: each request of a driver, and each answer of our stand-in,
 *   has to agree with it.
 */
export interface Trial {
  readonly name: string;
  /** For people: which operations and rules it shows. */
  readonly covers: string;
  /** Destination type. */
  readonly type: string;
  /** Test files, relative to the root of the repository. */
  readonly suites: readonly string[];
  readonly gaps: readonly Gap[];
  /** Differences from an oracle that are right. */
  readonly allowed: readonly Allowed[];
  /** What is changed between driver and emulator, since it would differ from the real system, and so is not shown. */
  readonly adapted?: readonly string[];
  /** What shows the type where this machine cannot run the trial. */
  readonly meanwhile?: string;
  /** Installs and starts what is needed. @throws Unavailable */
  prepare(folder: string): Promise<Ready>;
}

/**
 * Where the program is known to differ from the real system. Its tests have to fail: one that passes is a gap that was closed,
 * and fails the run until it is taken off the list.
 */
export interface Gap {
  readonly test: RegExp;
  readonly reason: string;
}

/** A difference that has to occur, as a gap has to. */
export interface Allowed {
  /** Of a text such as `operation: query parameter x is not described`. */
  readonly difference: RegExp;
  readonly reason: string;
}

export interface Ready {
  /** Name and version of what runs. */
  readonly version: string;
  readonly given: Partial<Omit<Given, 'type' | 'gaps' | 'allowed'>>;
  close(): Promise<void>;
}

/** What test files are handed. */
export interface Given {
  readonly type: string;
  readonly gaps: readonly { readonly pattern: string; readonly reason: string }[];
  readonly allowed: readonly { readonly pattern: string; readonly reason: string }[];
  /** Address of the module whose `startFake` replaces our stand-in. */
  readonly standIn: string | undefined;
  /** Base URL of the emulator. */
  readonly emulator: string;
  /** PEM of the certificate that the emulator shows; empty: it speaks plain HTTP. */
  readonly certificate: string;
  /** Address of the module whose `openOracle` judges each exchange. */
  readonly oracle: string | undefined;
  /** Folder with the npm packages of the oracles. */
  readonly packages: string;
}

/** This machine cannot run a trial. The message says what is missing. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly trial: Given;
  }
  interface TaskMeta {
    /** Why this test fails rightfully. */
    gap?: string;
    /** Requests judged, by operation. */
    judged?: Record<string, number>;
    /** Differences that are allowed, by the reason. */
    waived?: Record<string, number>;
  }
}
