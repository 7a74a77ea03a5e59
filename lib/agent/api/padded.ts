/** A request that something on its way does not let wait: a proxy cuts it off, or keeps back what the server sends. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

export interface Awaiting {
  /** Longest time without a byte, in milliseconds. */
  readonly silenceMsMax: number;
  /** Called whenever bytes arrive. */
  onSign(): void;
}

/**
 * The reply to a request that the server may leave open, sending white space until it knows the reply. Such a reply has the status 200, and its
 * document says what it stands for: the result has that status.
 *
 * @param ask sends the request; the signal aborts when nothing has arrived for too long
 * @throws Cut, or what `ask` throws
 */
export async function awaitReply(
  ask: (signal: AbortSignal) => Promise<Response>,
  { silenceMsMax, onSign }: Awaiting,
): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMsMax);
  let hasBegun = false;
  try {
    const reply = await ask(silence.signal);
    if (byProxies.includes(reply.status)) throw new Cut(`a proxy answered with ${reply.status}`);
    hasBegun = true;
    const text = await textOf(reply, () => {
      timer.refresh();
      onSign();
    });
    return reply.status === 200 ? meantBy(text) : new Response(text === '' ? null : text, { status: reply.status });
  } catch (cause) {
    if (cause instanceof Cut) throw cause;
    if (silence.signal.aborted) throw new Cut(`nothing arrived for ${silenceMsMax / 1_000} s`, { cause });
    if (hasBegun) throw new Cut('the reply was cut off', { cause });
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

/** Statuses of proxies that have lost the server, or do not wait for it any longer. */
const byProxies: readonly number[] = [502, 504];
/** A document about a job is short. */
const charactersMax = 65_536;

async function textOf({ body }: Response, onSign: () => void): Promise<string> {
  let text = '';
  if (body === null) return text;
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    onSign();
    text = (text + decoder.decode(bytes, { stream: true })).trimStart();
    if (text.length > charactersMax) throw new Error('the reply is too long');
  }
  return text;
}

function meantBy(text: string): Response {
  const document: unknown = JSON.parse(text);
  const { data, errors } = Object(document);
  if (data === null) return new Response(null, { status: 204 });
  const status = Array.isArray(errors) ? Number(errors[0]?.status) : 200;
  return new Response(text, { status: status >= 200 && status <= 599 ? status : 500 });
}
