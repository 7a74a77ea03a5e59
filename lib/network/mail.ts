import type { Sender, SmtpServer } from '#core/settings/smtp.ts';

/** Sends messages through the operator's own mail server, without the networking guard. */
export interface SmtpSettings {
  readonly server: SmtpServer;
  readonly from: Sender;
}

export interface Message {
  /** Recipients, hidden from each other. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** The server's verdict on a message. Its texts are dropped, because they may repeat the message. */
export interface MailResult {
  /** Code of its last reply; empty when there was none. */
  readonly code: string;
  readonly accepted: readonly string[];
  /** Recipients that it rejects permanently. */
  readonly refused: readonly string[];
  /** Why it accepted no recipient. */
  readonly reason: string;
}

export interface Mail {
  /** Does not throw when the server fails. */
  send(message: Message, signal?: AbortSignal): Promise<MailResult>;
}

/** Deadline for one message to all its recipients, including the lookup of the server's name. */
const messageMsMax = 30_000;
/** Messages that one process sends concurrently. */
const atOnceMax = 64;
const replyBytesMax = 65_536;

export function openMail({ server, from }: SmtpSettings): Mail {
  let transport: ReturnType<typeof transportOf> | undefined;
  let underWay = 0;
  return {
    async send({ to, subject, text }, signal) {
      if (underWay >= atOnceMax) return failed('', 'too many messages at once');
      underWay += 1;
      try {
        transport ??= transportOf(server);
        const inTime = AbortSignal.timeout(messageMsMax);
        const sent = await (await transport).sendMail({
          from: { ...from },
          to: 'undisclosed-recipients:;',
          envelope: { from: from.address, to: [...to] },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: signal === undefined ? inTime : AbortSignal.any([signal, inTime]),
        });
        return { code: sent.response.slice(0, 3), accepted: sent.accepted, refused: refusedOf(sent), reason: '' };
      } catch (error) {
        return failureOf(error);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Loaded with the first message, so that processes that send none save its memory. */
async function transportOf({ host, port, tls, login }: SmtpServer) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password.reveal() }, forceAuth: true }),
    connectionTimeout: messageMsMax,
    greetingTimeout: messageMsMax,
    socketTimeout: messageMsMax,
    dnsTimeout: messageMsMax,
    socketCloseTimeout: 0,
    maxResponseSize: replyBytesMax,
    logger: false,
    allowInternalNetworkInterfaces: true,
  });
}

interface Refusals {
  readonly rejectedErrors?:
    | readonly { readonly responseCode?: number | undefined; readonly recipient?: string | undefined }[]
    | undefined;
}

/** Replies from 500 on are permanent. */
const refusedOf = ({ rejectedErrors = [] }: Refusals): readonly string[] =>
  rejectedErrors.flatMap(({ responseCode = 0, recipient }) =>
    responseCode >= 500 && recipient !== undefined ? [recipient] : [],
  );

const failed = (code: string, reason: string): MailResult => ({ code, accepted: [], refused: [], reason });

function failureOf(error: unknown): MailResult {
  const { responseCode, code } = error as { readonly responseCode?: number; readonly code?: string };
  const reason = code ?? (error instanceof Error ? error.name : 'unknown error');
  return responseCode === undefined
    ? failed('', `no answer: ${reason}`)
    : failed(String(responseCode), `refused: ${reason}`);
}
