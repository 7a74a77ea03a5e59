import type { Operation } from '../operation.ts';
import type { ObjectValue, Value } from '../wire/json.ts';

/** The parameters and fields of a look. */
export interface Asked {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly fields?: ObjectValue;
}

/** The installation that is examined, as a command line or a page sees it. */
export interface Installation {
  readonly address: string;
  /** Of the program that examines it; undefined for the page, which the server itself has sent. */
  readonly version: string | undefined;
  readonly hasToken: boolean;
  /** The `data` of the reply. @throws CallFailure */
  look(operation: Operation, asked?: Asked): Promise<Value | undefined>;
  /** The same of an operation that anybody may use. @throws CallFailure */
  lookWithoutToken(operation: Operation): Promise<Value | undefined>;
}
