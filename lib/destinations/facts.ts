/** An association whose secret is one object, or ten keys with an object each. */
export type Shape = 'one object' | 'ten keys';
/** What becomes of an association. A change of ten keys is one of one of them. */
export type Operation = 'first push' | 'change' | 'unchanged' | 'removal';

/**
 * What packaging, documentation, benchmarks and the contract tests have to know of a destination type. No process loads it:
 * `<type>/facts.ts`.
 */
export interface DestinationFacts {
  /** npm packages that the driver imports beside zod. No other destination imports them, and no other bundle holds them. */
  readonly packages: readonly string[];
  /** Absent: the worker has no rights in the cloud that it runs in. */
  readonly assumesRoles?: true;
  /** The provider's limit that `rate` follows from, for people: `120 writes a minute, per project`. */
  readonly publishedLimit: string;
  readonly lateWrites: {
    /** For people: what the system refuses by itself, and what the looks after a late write mend. */
    readonly refused: string;
    readonly mended: string;
    /** A put that is applied after a newer one changes nothing. */
    readonly putsRefused?: true;
    /** A removal that is applied after a newer put changes nothing. */
    readonly removalsRefused?: true;
  };
  /** Calls of an operation, when the driver is open and nothing looks foreign. */
  readonly calls: Readonly<Record<Shape, Readonly<Record<Operation, number>>>>;
  readonly refusals: {
    /** A documented code of refusals. Absent: the system has no codes. */
    readonly code?: string;
    /** Failures quote the text of such a refusal. */
    readonly quoted: boolean;
  };
}
