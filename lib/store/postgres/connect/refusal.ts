/** Why we do not take a connection, or could not begin one; the text holds no secret. */
export class ConnectRefusal extends Error {
  override readonly name: string = 'ConnectRefusal';
}

/** None of several servers could be taken. */
export class NoServer extends ConnectRefusal {
  override readonly name = 'NoServer';
  readonly causes: readonly unknown[];

  constructor(message: string, causes: readonly unknown[]) {
    super(message, { cause: causes.at(-1) });
    this.causes = causes;
  }
}
