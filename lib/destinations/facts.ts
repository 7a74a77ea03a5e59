/** An association whose secret is one object, or ten keys with an object each. */
export type Shape = 'one object' | 'ten keys';
/** What happens to an association. A change of ten keys is a change of one of them. */
export type Operation = 'first push' | 'change' | 'unchanged' | 'removal';

/**
 * What packaging, documentation, benchmarks and the contract tests must know about a destination type: `<type>/facts.ts`, which no
 * process loads.
 */
export interface DestinationFacts {
  /** npm packages that only this driver imports, so that no other bundle contains them; without zod. */
  readonly packages: readonly string[];
  /** Set when the worker may assume roles in the cloud where it runs. */
  readonly assumesRoles?: true;
  /** The provider's limit behind `rate`, as text for users: `120 writes a minute, per project`. */
  readonly publishedLimit: string;
  /** How the stand-in enforces it in measurements. */
  readonly enforced: EnforcedLimit;
  readonly lateWrites: {
    /** Texts for users: the late writes that the system refuses itself, and those that the looks after a late write repair. */
    readonly refused: string;
    readonly mended: string;
    /** A put that is applied after a newer one changes nothing. */
    readonly putsRefused?: true;
    /** A removal that is applied after a newer put changes nothing. */
    readonly removalsRefused?: true;
  };
  /** Calls of an operation when the driver is open and no object is foreign. */
  readonly calls: Readonly<Record<Shape, Readonly<Record<Operation, number>>>>;
  readonly refusals: {
    /** A documented code of refusals, if the system has codes. */
    readonly code?: string;
    /** Whether failures quote the text of such a refusal. */
    readonly quoted: boolean;
  };
}

/**
 * - `bucket`: it fills at `units` per `seconds`, and holds as many.
 * - `window`: `units` in each interval of `seconds`, counted from the first call on.
 */
export interface EnforcedLimit {
  readonly form: 'bucket' | 'window';
  readonly units: number;
  readonly seconds: number;
  /** The provider tells how long to wait in multiples of this many seconds. */
  readonly waitStep: number;
  /** Units that a call takes. */
  readonly costs: { readonly read: number; readonly write: number };
}
