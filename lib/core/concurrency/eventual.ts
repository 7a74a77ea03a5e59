/** A value that is there, or will be: waiting for each short step of a frequent path costs more than the step. */
export type Eventual<T> = T | Promise<T>;

/** What comes of a value: at once when it is there. */
export const after = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);
