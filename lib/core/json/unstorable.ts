import { AppError, badField } from '../errors.ts';

/** Whether the store can hold a text. One that it cannot hold would fail all texts that share its statement. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const message = 'a text holds a character that cannot be stored';

/** Status 400. The store sees statements, not requests, so it cannot name the field. */
export class Unstorable extends AppError {
  constructor(options?: ErrorOptions) {
    super('bad-request', message, options);
  }

  /** The same refusal, with the fields of the request that have such a text. */
  in(input: Readonly<Record<string, unknown>>): AppError {
    const fields = Object.keys(input).filter((name) => !isAllStorable(input[name]));
    return badField(fields, message, { cause: this.cause });
  }
}

/** A list of what is left instead of recursion: the depth of a value is the client's choice. */
function isAllStorable(value: unknown): boolean {
  const left = [value];
  for (let one = left.pop(); one !== undefined || left.length > 0; one = left.pop()) {
    if (typeof one === 'string' && !isStorable(one)) return false;
    if (typeof one === 'object' && one !== null)
      for (const [key, member] of Object.entries(one)) left.push(key, member);
  }
  return true;
}
