/** A value or a promise of it, for frequent paths in which awaiting each short step would cost more than the step. */
export type Eventual<T> = T | Promise<T>;

/** Applies a function to a value: at once if it is available, otherwise when its promise resolves. */
export const mapMaybePromise = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);
