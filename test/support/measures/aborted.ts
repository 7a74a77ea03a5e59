/** Waits until a signal has aborted. Returns at once when it has aborted already, as may happen on a slow machine. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
