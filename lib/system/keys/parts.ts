import { badField } from '#core/errors.ts';
import type { OperationMarks } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import type { KeyAttempts, Rekey } from '#store/seal/attempts/contract.ts';
import type { Prepare, Seal } from '#store/seal/contract.ts';

/** The parts of the rows about keys. */
export interface KeyRowParts {
  readonly seal: Pick<Seal, 'rotation' | 'configureRotation'>;
  readonly attempts: KeyAttempts;
  /** Creates a root token in a transaction. */
  readonly mintRootToken: Prepare<string>;
  /** Whether attempts need a token with the sudo capability in addition to the key shares. */
  readonly attemptsNeedToken: boolean;
}

/** The keys that a set of rows replaces. */
export interface Rekeyed {
  /** The path of the rows below `sys/`. */
  readonly folder: 'rekey' | 'rekey-recovery-key';
  readonly rekey: Rekey;
  /** The display name of the shares. */
  readonly keys: string;
}

/** The marks of operations for holders of key shares, whom the shares authenticate. */
export const attemptMarks = ({ attemptsNeedToken }: Pick<KeyRowParts, 'attemptsNeedToken'>) =>
  ({
    replies: { 200: 'own' },
    ...(attemptsNeedToken ? { sudo: true } : { unauthenticated: true, ignoresToken: true }),
  }) as const satisfies OperationMarks;

const shareCharactersMax = 1_024;

/** Fields of requests that submit one key share to an attempt. */
export const givenFields = {
  key: text(shareCharactersMax).nullish().meta({ description: 'One key share, as hex or base64', sensitive: true }),
  nonce: text(shareCharactersMax).nullish().meta({ description: 'The nonce of the attempt' }),
};

/** @throws AppError `bad-request` when a field is missing */
export function mustBeGiven(input: {
  readonly key?: string | null | undefined;
  readonly nonce?: string | null | undefined;
}) {
  const { key, nonce } = input;
  if (!key) throw badField('key', "'key' must be specified in request body as JSON");
  if (!nonce) throw badField('nonce', "'nonce' must be specified in request body as JSON");
  return { key, nonce };
}

/** Refuses requests for encrypted keys, which must not be answered with plaintext keys. */
export function mustBeBare(name: string, asked: boolean): void {
  if (asked) throw badField(name, `encryption with ${name} is not supported: omit it`);
}
