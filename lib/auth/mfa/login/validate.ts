import { z } from 'zod';
import { badField } from '#core/errors.ts';
import type { ReplyContent } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { atMost, jsonObject, text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import type { GivenCode } from '../codes/header.ts';
import type { FinishLogin } from './contract.ts';
import { findPending, takePending } from './pending.ts';
import { satisfy, spendFor } from './satisfy.ts';

interface ValidateParts {
  readonly store: Store;
  readonly finish: FinishLogin;
}

const fields = {
  mfa_request_id: text(64).default('').meta({ description: 'Id of the pending login' }),
  mfa_payload: jsonObject()
    .optional()
    .meta({ description: 'Lists with one code each, by the id or name of the method', sensitive: true }),
};

/** `sys/mfa/validate`: the second half of a login with MFA. */
export const validateRow = (parts: ValidateParts): Row => ({
  pattern: 'mfa/validate',
  help: 'Takes the codes for a pending login and returns its token. A wrong code can be corrected in another request.',
  operations: {
    write: operation(fields, {
      summary: 'Validate a login with codes',
      unauthenticated: true,
      ignoresToken: true,
      run: ({ mfa_request_id, mfa_payload }) => validate(parts, mfa_request_id, mfa_payload),
    }),
  },
});

/** Of concurrent requests with correct codes, one takes the login and makes its token. */
async function validate({ store, finish }: ValidateParts, id: string, payload: unknown): Promise<ReplyContent> {
  if (id === '') throw badField('mfa_request_id', 'missing request ID');
  if (payload === undefined) throw badField('mfa_payload', 'missing mfa payload');
  const given = codesOf(payload);
  const pending = await findPending(store, id);
  if (pending === undefined) throw unknownRequest();
  const { entityId, constraints, text: login } = pending;
  const proofs = await satisfy(store, entityId, constraints, given);
  return finish(login, async (tx) => {
    if (!(await takePending(store, tx, id))) throw unknownRequest();
    await spendFor(tx, entityId, constraints, proofs);
  });
}

const methodsMax = 16;
const payloads = z.record(
  z.string().max(512),
  z.array(z.string().max(64, atMost(64, 'characters'))).max(1, atMost(1, 'entries')),
);

/** @throws AppError `bad-request`, whose text does not contain the payload */
function codesOf(payload: unknown): readonly GivenCode[] {
  const read = payloads.safeParse(payload);
  const entries = read.success ? Object.entries(read.data) : [];
  if (entries.length === 0 || entries.length > methodsMax) throw badField('mfa_payload', 'invalid mfa payload');
  return entries.map(([method, [code = '']]) => ({ method, code: code.replace(/^passcode=/, '') }));
}

const unknownRequest = () => badField('mfa_request_id', 'invalid request ID');
