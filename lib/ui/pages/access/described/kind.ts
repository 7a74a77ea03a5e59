import type { ComponentChildren } from 'preact';
import type { Value } from '#client/wire/json.ts';

/** Things of one kind: how they are listed, named, written and deleted. Paths are below `/v1/`. */
export interface Kind {
  /** The first key of all answers about them. */
  readonly id: string;
  readonly noun: string;
  readonly title: string;
  /** The listing, without a slash at its end. A thing is at its key below it. */
  readonly list: string;
  /** Where something new is sent. Undefined: at its name below the listing. */
  readonly create?: string;
  readonly icon: 'person' | 'key' | 'lock' | 'layers';
  /** Fields that the form leaves out. */
  readonly hidden?: readonly string[];
  readonly empty: string;
  readonly consequence: string;
  /** Where the list of the kind is in the page. */
  readonly url: (query?: Readonly<Record<string, string>>) => string;
  /** What a row says besides its name, from the details of the listing. */
  readonly more?: (info: Value | undefined) => string;
  /** Shown above the form of a stored thing. */
  readonly above?: (stored: Value, key: string) => ComponentChildren;
}
