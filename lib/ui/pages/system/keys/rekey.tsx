import { useEffect, useState } from 'preact/hooks';
import { recoveryRekey, rekey } from '#client/operations/rekey.ts';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs, refresh, useQuery } from '#ui/state/use-query.ts';
import { BeginRekey, CancelRekey } from './begin.tsx';
import { Give } from './give.tsx';
import { NewShares } from './new-shares.tsx';
import type { Rekeying } from './rekeying.ts';

/** The key shares, and their change: holders give the present ones, then the new ones are shown once. */
export function Rekey() {
  const [isUnderWay, setUnderWay] = useState(false);
  const [made, setMade] = useState<Value>();
  const seal = useQuery({ key: ['seal'], ask: (options) => api.call(system.sealStatus, {}, undefined, options) });
  const status = seal.reply?.whole;
  const isManual = textOf(status, 'type') === 'shamir';
  const rekeying: Rekeying = {
    operations: isManual ? rekey : recoveryRekey,
    word: isManual ? 'key share' : 'recovery key',
  };
  const asked = useQuery({
    key: ['rekey', rekeying.word],
    ask: (options) => api.call(rekeying.operations.status, {}, undefined, options),
    everyMs: isUnderWay ? pollMs : undefined,
    enabled: Number(textOf(status, 'n') || 0) > 0,
  });
  const change = asked.reply?.whole;
  const isStarted = memberOf(change, 'started') === true;
  useEffect(() => setUnderWay(isStarted), [isStarted]);
  if (asked.reply === undefined && asked.failure === undefined) return null;
  const refusal =
    asked.failure?.status === 403
      ? `Your policies do not grant "sudo" on ${rekeying.operations.status.path}.`
      : undefined;
  return (
    <section class="card narrow" aria-label="Key shares">
      <header>
        <h2>{isManual ? 'Key shares' : 'Recovery keys'}</h2>
        {isStarted ? <Badge word="Change under way" tone="wait" icon="clock" /> : null}
      </header>
      <div class="inside form">
        {isStarted ? (
          <UnderWay rekeying={rekeying} status={change ?? null} onMade={setMade} />
        ) : (
          <Present rekeying={rekeying} seal={status ?? null} refusal={refusal} />
        )}
      </div>
      {made === undefined ? null : <NewShares made={made} rekeying={rekeying} onKept={() => setMade(undefined)} />}
    </section>
  );
}

interface PresentProps {
  readonly rekeying: Rekeying;
  readonly seal: Value;
  readonly refusal: string | undefined;
}

function Present({ rekeying, seal, refusal }: PresentProps) {
  const [isBeginning, setBeginning] = useState(false);
  return (
    <>
      <p>
        {textOf(seal, 't')} of {textOf(seal, 'n')} are needed{rekeying.word === 'key share' ? ' to unseal' : ''}. A
        change replaces all of them and re-encrypts nothing.
      </p>
      <div class="actions">
        <Button icon="key" refusal={refusal} onPress={() => setBeginning(true)}>
          Change the {rekeying.word}s
        </Button>
      </div>
      {isBeginning ? <BeginRekey {...{ rekeying, seal }} onClose={() => setBeginning(false)} /> : null}
    </>
  );
}

interface UnderWayProps {
  readonly rekeying: Rekeying;
  readonly status: Value;
  readonly onMade: (made: Value) => void;
}

function UnderWay({ rekeying, status, onMade }: UnderWayProps) {
  const [isCanceling, setCanceling] = useState(false);
  const { operations, word } = rekeying;
  const isVerifying = textOf(status, 'verification_nonce') !== '';
  const given = async (reply: Value | undefined) => {
    if (memberOf(reply, 'complete') === true) onMade(reply ?? null);
    await Promise.all([refresh('rekey'), refresh('seal')]);
  };
  return (
    <>
      {isVerifying ? (
        <Verify rekeying={rekeying} />
      ) : (
        <Give
          label={`Present ${word}`}
          operation={operations.give}
          nonce={textOf(status, 'nonce')}
          given={Number(textOf(status, 'progress') || 0)}
          needed={Number(textOf(status, 'required') || 0)}
          onGiven={given}
        />
      )}
      <dl class="facts">
        <dt>New ones</dt>
        <dd class="numbers">
          {textOf(status, 'n')}, of which {textOf(status, 't')} are needed
        </dd>
        <dt>Nonce</dt>
        <dd>
          <code class="wrap">{textOf(status, 'nonce')}</code>
        </dd>
      </dl>
      <div class="actions">
        <Button onPress={() => setCanceling(true)}>Cancel the change</Button>
      </div>
      {isCanceling ? <CancelRekey rekeying={rekeying} onClose={() => setCanceling(false)} /> : null}
    </>
  );
}

/** The new shares are given once, before they take the place of the present ones. */
function Verify({ rekeying: { operations, word } }: { readonly rekeying: Rekeying }) {
  const { reply } = useQuery({
    key: ['rekey', word, 'verification'],
    ask: (options) => api.call(operations.verification, {}, undefined, options),
    everyMs: pollMs,
  });
  if (reply === undefined) return null;
  const status = reply.whole;
  const progress = Number(textOf(status, 'progress') || 0);
  const restart = async () => {
    await api.call(operations.restartVerification, {});
    await refresh('rekey');
  };
  const given = () => Promise.all([refresh('rekey'), refresh('seal')]);
  return (
    <>
      <p>The new {word}s are made. The present ones stay in force until enough of the new ones are given here.</p>
      <Give
        label={`New ${word}`}
        operation={operations.verify}
        nonce={textOf(status, 'nonce')}
        given={progress}
        needed={Number(textOf(status, 't') || 0)}
        onGiven={given}
      />
      {progress === 0 ? null : (
        <div class="actions">
          <Button look="plain" onPress={restart}>
            Start over
          </Button>
        </div>
      )}
    </>
  );
}
