import { badRequest, permissionDenied } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import type { Reply } from '../../path/contract/reply.ts';
import type { RequestContext } from '../../path/contract/request.ts';
import { operation, type Row } from '../../path/contract/row.ts';
import { text } from '../../path/fields.ts';
import { findWrapping, notValid, takeReply } from './take.ts';
import { type WrapParts, wrapWithin } from './wrap.ts';

const fields = {
  token: text(4_096).optional().meta({ description: 'The wrapping token; absent: the token of the caller' }),
};

/** `sys/wrapping/`. */
export function wrappingRows(parts: WrapParts): readonly Row[] {
  const lookup = {
    unauthenticated: true,
    ignoresToken: true,
    summary: 'Look at a wrapping token without using it.',
    run: (input: { readonly token?: string | undefined }, context: RequestContext) => look(parts, input.token, context),
  };
  return [
    {
      pattern: 'wrapping/wrap',
      help: 'Wraps whatever was sent: the answer is a token that takes it once.',
      operations: {
        write: operation(
          {},
          { summary: 'Wrap data.', anyFields: true, run: async (input, context) => echo(input, context) },
        ),
      },
    },
    {
      pattern: 'wrapping/unwrap',
      help: 'Answers the wrapped reply, once. The wrapping token is in the body, or is the token of the caller.',
      operations: {
        write: operation(fields, {
          summary: 'Take a wrapped reply.',
          unauthenticated: true,
          takesReply: () => true,
          run: async ({ token }, context) => unwrap(parts, await takingToken(token, context)),
        }),
      },
    },
    {
      pattern: 'wrapping/rewrap',
      help: 'Replaces a wrapping token by a new one for the same reply and the same time.',
      operations: {
        write: operation(fields, {
          summary: 'Replace a wrapping token.',
          unauthenticated: true,
          takesReply: () => true,
          run: async ({ token }, context) => rewrap(parts, await takingToken(token, context)),
        }),
      },
    },
    {
      pattern: 'wrapping/lookup',
      help: 'Shows when, where and for how long a wrapping token was made, without using it.',
      operations: { write: operation(fields, lookup), read: operation({}, lookup) },
    },
  ];
}

/** The stage that wraps replies does the rest. */
function echo(data: object, { wrapSeconds }: RequestContext): Reply {
  if (wrapSeconds === undefined) throw badRequest('endpoint requires response wrapping to be used');
  return { data };
}

/**
 * A wrapping token that has been used up is refused as one that is not valid, not as a caller without permission: clients
 * tell by that that somebody else was first. So these paths need no token, and who names another one is asked for his here.
 *
 * @throws AppError `permission-denied`, or `bad-request` for no wrapping token
 */
async function takingToken(named: string | undefined, context: RequestContext): Promise<Secret> {
  const { caller, tokenSent, sentToken } = context;
  const isOther = named !== undefined && named !== '' && named !== sentToken?.reveal();
  if (isOther) {
    await context.mustBeAllowed('write', `${context.mount.path}${context.path}`);
    return new Secret(named);
  }
  if (!tokenSent) throw permissionDenied();
  if (caller === undefined) throw notValid();
  return caller.token;
}

async function unwrap({ store }: WrapParts, taking: Secret): Promise<Reply> {
  const { text } = await takeReply(store, store.db, taking);
  return { text: { contentType: 'application/json', body: text } };
}

/** In one transaction: whatever happens, there is either the old token or the new one. */
async function rewrap(parts: WrapParts, taking: Secret): Promise<Reply> {
  const wrapInfo = await parts.store.transaction(async (tx) => {
    const { namespaceId, text, path, ttl } = await takeReply(parts.store, tx, taking);
    return wrapWithin(parts, tx, {
      ...{ namespace: { id: namespaceId }, text, path, seconds: ttl },
      wrappedAccessor: undefined,
    });
  });
  return { wrapInfo };
}

async function look({ store }: WrapParts, named: string | undefined, { sentToken }: RequestContext): Promise<Reply> {
  const token = named === undefined || named === '' ? sentToken : new Secret(named);
  if (token === undefined) throw badRequest('missing "token" value in input');
  const { path, ttl, createdAt } = await findWrapping(store, token);
  return { data: { creation_ttl: ttl, creation_time: createdAt.toISOString(), creation_path: path } };
}
