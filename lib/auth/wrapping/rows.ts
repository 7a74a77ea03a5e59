import { badField, badRequest, permissionDenied } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { findWrapping, notValid, takeReply } from './take.ts';
import { type WrapParts, wrapWithin } from './wrap.ts';

const fields = {
  token: text(4_096).optional().meta({ description: 'The wrapping token; default: the token of the caller' }),
};

/** `sys/wrapping/`. */
export function wrappingRows(parts: WrapParts): readonly Row[] {
  const lookup = {
    unauthenticated: true,
    ignoresToken: true,
    summary: 'Look up a wrapping token',
    run: (input: { readonly token?: string | undefined }, context: RequestContext) => look(parts, input.token, context),
  };
  return [
    {
      pattern: 'wrapping/wrap',
      help: 'Wraps any data. The reply is a token that returns the data once.',
      operations: {
        write: operation(
          {},
          { summary: 'Wrap data', anyFields: true, run: async (input, context) => echo(input, context) },
        ),
      },
    },
    {
      pattern: 'wrapping/unwrap',
      help: 'Returns a wrapped reply once. The wrapping token is in the body, or is the token of the caller.',
      operations: {
        write: operation(fields, {
          summary: 'Take a wrapped reply',
          unauthenticated: true,
          takesReply: () => true,
          run: async ({ token }, context) => unwrap(parts, await takingToken(token, context)),
        }),
      },
    },
    {
      pattern: 'wrapping/rewrap',
      help: 'Replaces a wrapping token with a new one for the same reply and time.',
      operations: {
        write: operation(fields, {
          summary: 'Replace a wrapping token',
          unauthenticated: true,
          takesReply: () => true,
          run: async ({ token }, context) => rewrap(parts, await takingToken(token, context)),
        }),
      },
    },
    {
      pattern: 'wrapping/lookup',
      help: 'Shows creation time, path and lifetime of a wrapping token, without using it.',
      operations: { write: operation(fields, lookup), read: operation({}, lookup) },
    },
  ];
}

/** Returns the data, which the stage that wraps replies then wraps. */
function echo(data: object, { wrapSeconds }: RequestContext): Reply {
  if (wrapSeconds === undefined) throw badRequest('endpoint requires response wrapping to be used');
  return { data };
}

/**
 * The wrapping token of a request. A wrapping token that was used up gets 400, not 403, by which clients recognise that another client
 * was first. These paths therefore need no valid caller, and a request that names another token is authorised here.
 *
 * @throws AppError `permission-denied`, or `bad-request` when the token is not a wrapping token
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

/** Runs in one transaction, so that exactly one of the old and the new token exists. */
async function rewrap(parts: WrapParts, taking: Secret): Promise<Reply> {
  const wrapInfo = await parts.store.transaction(async (tx) => {
    const { namespaceId, text, path, ttl } = await takeReply(parts.store, tx, taking);
    return wrapWithin(parts, tx, {
      namespace: { id: namespaceId },
      text,
      path,
      seconds: ttl,
      wrappedAccessor: undefined,
    });
  });
  return { wrapInfo };
}

async function look({ store }: WrapParts, named: string | undefined, { sentToken }: RequestContext): Promise<Reply> {
  const token = named === undefined || named === '' ? sentToken : new Secret(named);
  if (token === undefined) throw badField('token', 'missing "token" value in input');
  const { path, ttl, createdAt } = await findWrapping(store, token);
  return { data: { creation_ttl: ttl, creation_time: createdAt.toISOString(), creation_path: path } };
}
