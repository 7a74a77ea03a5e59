import type { ReplyContent } from '#path/contract/reply.ts';

/** A refusal in the form of OAuth 2.0 (RFC 6749, 5.2), which replaces that of the API. */
export class OAuthError extends Error {
  readonly reply: ReplyContent;

  /** The description must not contain what only the client knows. */
  constructor(error: string, description: string, more: { readonly status?: number; readonly scheme?: string } = {}) {
    super(error);
    const { status = 400, scheme } = more;
    this.reply = {
      status,
      body: { error, error_description: description },
      ...(scheme === undefined ? {} : { headers: { 'www-authenticate': scheme } }),
    };
  }
}

/** Replies with the refusal that `run` throws, and with more members where they are given. */
export async function orOAuthError(
  run: () => Promise<ReplyContent>,
  more: () => Promise<object> = async () => ({}),
): Promise<ReplyContent> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { ...error.reply, body: { ...error.reply.body, ...(await more()) } };
  }
}
