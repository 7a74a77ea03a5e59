import type { OwnReply, ReplyWith } from '#path/contract/reply.ts';

/** A refusal in the form of OAuth 2.0 (RFC 6749, 5.2), which replaces that of the API. */
export class OAuthError extends Error {
  readonly reply: ReplyWith<400 | 401>;

  /** The description must not contain what only the client knows. */
  constructor(error: string, description: string, more: { readonly status?: 401; readonly scheme?: string } = {}) {
    super(error);
    const { status = 400, scheme } = more;
    this.reply = {
      status,
      body: { error, error_description: description },
      ...(scheme === undefined ? {} : { headers: { 'www-authenticate': scheme } }),
    };
  }
}

/** The `replies` of an operation that refuses in this form. */
export const oauthReplies = { 200: 'own', 400: 'own', 401: 'own' } as const;

/** Replies with the refusal that `run` throws, and with more members where they are given. */
export async function orOAuthError(
  run: () => Promise<OwnReply>,
  more: () => Promise<object> = async () => ({}),
): Promise<OwnReply | ReplyWith<400 | 401>> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { ...error.reply, body: { ...error.reply.body, ...(await more()) } };
  }
}
