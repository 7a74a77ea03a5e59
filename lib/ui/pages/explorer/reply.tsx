import type { AnyRequest } from '#client/request.ts';
import { parseJson, printJson, type Value } from '#client/wire/json.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { useShown } from '../../parts/masked.tsx';
import { count } from '../../parts/relative.ts';
import { say } from '../../parts/toast.tsx';
import { api } from '../../state/api.ts';
import { mask, masked } from './document/mask.ts';
import type { Row } from './document/rows.ts';

/** A reply as it came; only this part of the page has it. */
export interface Answered {
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly text: string;
  /** Undefined if it is not JSON. */
  readonly document: Value | undefined;
  /** Names were asked for. */
  readonly isList: boolean;
}

/** Characters that are shown of a reply. */
const shownMax = 200_000;

/** @throws CallFailure without a reply */
export async function send(request: AnyRequest): Promise<Answered> {
  const begun = performance.now();
  const { status, isJson, bytes } = await api.exchange(request);
  const ms = Math.round(performance.now() - begun);
  const text = new TextDecoder().decode(bytes);
  const document = isJson ? documentOf(text) : undefined;
  return { status, ms, bytes: bytes.byteLength, text, document, isList: request.query?.['list'] === 'true' };
}

function documentOf(text: string): Value | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const words: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'Done',
  400: 'Not understood',
  401: 'No user or no token',
  403: 'Not allowed',
  404: 'Not there',
  409: 'Conflict',
  422: 'Not valid',
  429: 'Too many requests',
  503: 'Not available',
};

/** The reply with its secrets masked, until they are asked for. */
export function Reply({ row, answered }: { readonly row: Row; readonly answered: Answered }) {
  const [isShown, setShown] = useShown<true>();
  const { status, ms, bytes, text, document } = answered;
  const hidden = hiddenOf(answered, row);
  const shown = isShown === true ? (document === undefined ? text : printJson(document, 2)) : hidden;
  const copy = () => navigator.clipboard.writeText(shown).then(() => say('ok', 'The reply is copied as it is shown.'));
  return (
    <section class="card" aria-label="Reply">
      <header>
        <div class="what">
          <h2>Reply</h2>
          <Badge
            tone={status < 400 ? 'ok' : 'fail'}
            icon={status < 400 ? 'done' : 'cross'}
            word={`${status} ${words[status] ?? ''}`.trim()}
          />
          <span class="quiet numbers">
            {count(ms)} ms · {count(bytes)} bytes
          </span>
        </div>
        <span class="actions">
          {hidden.includes(mask) ? (
            <Button small icon="eye" onPress={() => setShown(isShown === true ? undefined : true)}>
              {isShown === true ? 'Hide values' : 'Show values'}
            </Button>
          ) : null}
          <Button small look="plain" icon="copy" label="Copy the reply" onPress={copy}>
            Copy
          </Button>
        </span>
      </header>
      <div class="inside">
        {shown === '' ? (
          <p class="quiet">It has no body.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
          <section class="log" tabIndex={0} aria-label="Body of the reply">
            {shown.slice(0, shownMax)}
          </section>
        )}
        {shown.length > shownMax ? <p class="quiet">The rest is left out here.</p> : null}
      </div>
    </section>
  );
}

/** A text of a secrets engine may be a secret as a whole. */
function hiddenOf({ document, text, isList }: Answered, row: Row): string {
  if (document !== undefined) return printJson(masked(document, row, isList), 2);
  return row.tag === 'secrets' && text !== '' ? mask : text;
}
