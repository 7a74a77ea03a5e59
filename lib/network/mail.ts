import type { Sender, SmtpServer } from '../core/smtp.ts';

/** What messages go out by: the operator's own server, which no networking guard is between. */
export interface SmtpSettings {
  readonly server: SmtpServer;
  readonly from: Sender;
}

export interface Message {
  /** Recipients do not see each other. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** What the server said of a message. Its own texts are not kept: they may echo what it was sent. */
export interface MailResult {
  /** Of its last reply; empty: there was none. */
  readonly code: string;
  readonly accepted: readonly string[];
  /** Recipients that it does not take, now or later. */
  readonly refused: readonly string[];
  /** Why it took nobody's. */
  readonly reason: string;
}

export interface Mail {
  /** It does not throw for a server that fails. */
  send(message: Message, signal?: AbortSignal): Promise<MailResult>;
}

/** For one message to all its recipients, from looking up the name of the server on. */
const messageMsMax = 30_000;
/** Messages that one process hands over at once. */
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
          ...{ from: { ...from }, to: 'undisclosed-recipients:;', envelope: { from: from.address, to: [...to] } },
          ...{ subject, text, headers: { 'Auto-Submitted': 'auto-generated' }, xMailer: false },
          ...{ disableFileAccess: true, disableUrlAccess: true },
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

/** Loaded with the first message: processes that send none do without it. */
async function transportOf({ host, port, tls, login }: SmtpServer) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...{ host, port, secure: tls === 'implicit', requireTLS: tls === 'starttls', ignoreTLS: tls === 'none' },
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password.reveal() }, forceAuth: true }),
    ...{ connectionTimeout: messageMsMax, greetingTimeout: messageMsMax, socketTimeout: messageMsMax },
    ...{ dnsTimeout: messageMsMax, socketCloseTimeout: 0, maxResponseSize: replyBytesMax },
    ...{ logger: false, allowInternalNetworkInterfaces: true },
  });
}

interface Refusals {
  readonly rejectedErrors?:
    | readonly { readonly responseCode?: number | undefined; readonly recipient?: string | undefined }[]
    | undefined;
}

/** Replies from 500 on are for good. */
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
