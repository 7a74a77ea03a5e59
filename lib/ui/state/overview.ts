import { sync } from '#client/operations/sync.ts';
import type { PageReply } from '#client/page.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { api } from './api.ts';
import { type Asked, type AskOptions, pollMs, pollReplyMsMax, useQuery } from './use-query.ts';

/** How long the server may keep a request while there is nothing new, in seconds. */
const waitSeconds = 10;
/** How long the page asks without waiting after the server had too many waiting requests. */
const plainMs = 60_000;

let waitsFromMs = 0;

/** The overview, or what it has of some destinations. All that show the same of it share one answer. */
export const useOverview = ({ isPolled = true, everyMs = pollMs, enabled, of }: Polling = {}): Asked =>
  useQuery({
    key: of === undefined ? ['overview'] : ['overview', of],
    ask: (options) => ask(options, of),
    everyMs: isPolled ? everyMs : undefined,
    enabled,
  });

/** Selects destinations; the sums are those of the ones that match, whatever the page has of them. */
interface Selected {
  readonly type?: string;
  readonly name?: string;
  readonly limit?: number;
}

interface Polling {
  readonly isPolled?: boolean;
  readonly everyMs?: number;
  readonly enabled?: boolean;
  readonly of?: Selected;
}

/** Waits for another version than the known one, so that an open page costs next to nothing while nothing changes. */
async function ask({ mayWait, ...options }: AskOptions, of: Selected | undefined): Promise<PageReply> {
  const since = textOf(options.known?.data, 'version');
  const plain = () => api.call(sync.overview, {}, of, { ...options, replyMsMax: pollReplyMsMax });
  if (!mayWait || since === '' || Date.now() < waitsFromMs) return plain();
  const replyMsMax = waitSeconds * 1_000 + pollReplyMsMax;
  return api
    .call(sync.overview, {}, { ...of, since, wait: waitSeconds }, { ...options, replyMsMax })
    .catch((cause: unknown) => {
      if (!(cause instanceof CallFailure) || cause.status !== 503) throw cause;
      waitsFromMs = Date.now() + plainMs;
      return plain();
    });
}

/** The names of all destinations, such as `cloud-a-sm/prod`. With `isPolled`, new ones are among them while the page is open. */
export function useDestinationNames({ isPolled = false } = {}): readonly string[] {
  const list = memberOf(useOverview({ isPolled }).reply?.data, 'destinations');
  return Array.isArray(list) ? list.map((one) => `${textOf(one, 'type')}/${textOf(one, 'name')}`) : [];
}
