import type { Figure } from './measure/figure.ts';
import type { Stage } from './stage.ts';

/** What a section receives. */
export interface Bench {
  readonly stage: Stage;
  /** Fewer rounds and smaller numbers: seconds instead of minutes, and less certain figures. */
  readonly quick: boolean;
  /** How many associations the reads of operators are measured with. */
  readonly records: number;
  /** How long an open page is used for its memory; undefined for as long as its frames are measured. */
  readonly minutes: number | undefined;
  /** Reports the current measurement. */
  report(text: string): void;
  /** Adds a line below the table of the section. */
  note(text: string): void;
}

/** One thing to measure. It ends the processes that it starts. */
export interface Section {
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<readonly Figure[]>;
}
