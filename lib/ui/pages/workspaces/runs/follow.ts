import { useEffect, useRef, useState } from 'preact/hooks';
import { CallFailure } from '#client/wire/failure.ts';
import { api } from '#ui/state/api.ts';
import { pollMs } from '#ui/state/use-query.ts';
import { appended } from './text.ts';

/** Bytes that are asked for at once. */
const pieceBytes = 256 * 1_024;

export interface Followed {
  readonly text: string;
  /** The beginning is no longer in `text`. */
  readonly isCut: boolean;
  readonly isLoading: boolean;
  readonly problem: string;
}

/** Follows a log while it grows, from the offset that it has reached, and not while the page is hidden. */
export function useLog(address: string, isEnded: boolean): Followed {
  const [shown, setShown] = useState<Followed>({ text: '', isCut: false, isLoading: true, problem: '' });
  const latest = useRef({ address, isEnded });
  latest.current = { address, isEnded };
  useEffect(() => {
    const ending = new AbortController();
    void follow(latest, setShown, ending.signal);
    return () => ending.abort();
  }, []);
  return shown;
}

type Show = (change: (before: Followed) => Followed) => void;

async function follow(
  latest: { readonly current: { readonly address: string; readonly isEnded: boolean } },
  show: Show,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  let offset = 0;
  while (!signal.aborted) {
    // Read before the piece: what was written until the end is then in one of the pieces.
    const { address, isEnded } = latest.current;
    const piece = document.hidden ? undefined : await pieceAt(address, offset, signal).catch(problemOf);
    if (signal.aborted) return;
    if (typeof piece === 'string') show((before) => ({ ...before, isLoading: false, problem: piece }));
    else if (piece !== undefined) {
      offset += piece.byteLength;
      const text = decoder.decode(piece, { stream: true });
      show((before) => {
        const next = appended(before.text, text);
        return { text: next.text, isCut: before.isCut || next.isCut, isLoading: false, problem: '' };
      });
      if (piece.byteLength === pieceBytes) continue;
      if (isEnded && piece.byteLength === 0) return;
    }
    await wait(signal);
  }
}

/** The address is signed, and of this server whatever name it has there. */
async function pieceAt(address: string, offset: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const { pathname } = new URL(address, location.origin);
  const query = { offset: String(offset), limit: String(pieceBytes) };
  const reply = await api.exchange({ method: 'GET', path: pathname, query }, { signal });
  if (reply.status !== 200) throw new Error(`the server replied with status ${reply.status}`);
  return reply.bytes;
}

const problemOf = (cause: unknown): string =>
  cause instanceof CallFailure || cause instanceof Error ? cause.message : 'the log cannot be read';

const wait = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pollMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
