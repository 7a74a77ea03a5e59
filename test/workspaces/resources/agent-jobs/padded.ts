import { onTestFinished } from 'vitest';
import { openApi } from '#app.ts';
import type { Config } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { patience } from '#test/support/measures/patience.ts';
import { openSilenceableLine } from '#test/support/servers/silenceable-line.ts';
import { documentOf } from '../../support/documents.ts';
import type { WorkspaceGround } from '../../support/ground.ts';

const mediaType = 'application/vnd.api+json';

/** A request for work that waits, as its client sees it. */
export interface Waiting {
  readonly status: number;
  readonly headers: Headers;
  /** Resolves when so many more bytes of white space have come. */
  spaces(count: number): Promise<void>;
  /** The text that follows the white space, to the end. */
  rest(): Promise<string>;
  /** Disconnects. */
  leave(): void;
}

/** A process of the API beside that of the ground, with replies that get a byte 25 times a second, and a line to it as of a proxy. */
export async function openPadding({ service }: WorkspaceGround, changes: Partial<Config> = {}) {
  const config = { ...service.config, KEYFERRY_PADDING_MS: 40, ...changes };
  const api = await openApi({ config, log: silentLog, metrics: openMetrics({ process: false }) });
  const { port } = await api.listen(0, '127.0.0.1');
  const line = await openSilenceableLine(port);
  onTestFinished(async () => {
    await line.close();
    await api.close();
  });
  const wait = async (agent: string, token: string, attributes: object = {}): Promise<Waiting> => {
    const leaving = new AbortController();
    const reply = await fetch(`http://127.0.0.1:${line.port}/api/v2/agents/${agent}/actions/take`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': mediaType },
      body: JSON.stringify(documentOf('agents', { padded: true, ...attributes })),
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(patience.conditionMs)]),
    });
    return waitingOn(reply, leaving);
  };
  return { api, wait };
}

function waitingOn({ status, headers, body }: Response, leaving: AbortController): Waiting {
  const pieces = (body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const more = async (): Promise<boolean> => {
    const { done, value } = await pieces.read();
    text += value ?? '';
    return !done;
  };
  return {
    status,
    headers,
    async spaces(count) {
      const until = text.length + count;
      while (text.length < until)
        if (!(await more()) || text.trim() !== '') throw new Error(`the wait has ended: ${text}`);
    },
    async rest() {
      while (await more());
      return text.trimStart();
    },
    leave: () => leaving.abort(),
  };
}
