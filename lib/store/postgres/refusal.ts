/** Why we refuse a connection or could not open one; the message contains no secret. */
export class ConnectRefusal extends Error {
  override readonly name: string = 'ConnectRefusal';
}

/** None of several servers could be used. */
export class NoServer extends ConnectRefusal {
  override readonly name = 'NoServer';
  readonly causes: readonly unknown[];

  constructor(message: string, causes: readonly unknown[]) {
    super(message, { cause: causes.at(-1) });
    this.causes = causes;
  }
}
