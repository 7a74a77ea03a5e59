import type { Figure } from './figure.ts';
import type { Stage } from './stage.ts';

/** What a section is handed. */
export interface Bench {
  readonly stage: Stage;
  /** Fewer rounds and smaller numbers: minutes become seconds, and the figures less certain. */
  readonly quick: boolean;
  report(text: string): void;
}

/** One thing that is measured. It ends what it starts. */
export interface Section {
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<readonly Figure[]>;
}
