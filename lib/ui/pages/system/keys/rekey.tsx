import { useEffect, useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';

/** Holders give their shares at the command line; the page shows how far they are. Silent where that cannot be read. */
export function Rekey() {
  const [isUnderWay, setUnderWay] = useState(false);
  const seal = useQuery({ key: ['seal'], ask: (options) => api.call(system.sealStatus, {}, undefined, options) });
  const asks = textOf(seal.reply?.whole, 'type') === 'shamir' ? system.rekeyStatus : system.recoveryRekeyStatus;
  const { reply } = useQuery({
    key: ['rekey'],
    ask: (options) => api.call(asks, {}, undefined, options),
    everyMs: isUnderWay ? pollMs : undefined,
    enabled: Number(textOf(seal.reply?.whole, 'n') || 0) > 0,
  });
  const status = reply?.whole;
  const isStarted = memberOf(status, 'started') === true;
  useEffect(() => setUnderWay(isStarted), [isStarted]);
  if (!isStarted) return null;
  return (
    <section class="card narrow" aria-label="Change of key shares">
      <header>
        <h2>Change of key shares</h2>
        <Badge word="Under way" tone="wait" icon="clock" />
      </header>
      <dl class="facts inside">
        <dt>Shares given</dt>
        <dd class="numbers">
          <span role="status">
            {textOf(status, 'progress')} of {textOf(status, 'required')}
          </span>
        </dd>
        <dt>New shares</dt>
        <dd class="numbers">
          {textOf(status, 'n')}, of which {textOf(status, 't')} unseal
        </dd>
        <dt>Nonce</dt>
        <dd>
          <code class="wrap">{textOf(status, 'nonce')}</code>
        </dd>
      </dl>
    </section>
  );
}
