import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import type { Look } from '#ui/parts/words.ts';
import { api } from '#ui/state/api.ts';

/** Checks a destination, with the given fields in the place of the stored ones. */
export function useCheck(type: string, name: string) {
  const [report, setReport] = useState<Value>();
  const run = async (fields: Readonly<Record<string, Value>>) => {
    setReport(undefined);
    const isStored = Object.keys(fields).length === 0;
    const reply = isStored
      ? await api.call(sync.checkDestination, { type, name })
      : await api.call(sync.checkChange, { type, name }, fields);
    setReport(reply.data);
  };
  return { report, run };
}

const words: Readonly<Record<string, string>> = {
  address: 'Address',
  name_resolution: 'Name resolution',
  connection: 'Connection',
  tls: 'TLS',
  login: 'Login',
  permission: 'Permission',
  clock: 'Clock',
};

const looks: Readonly<Record<string, Look>> = {
  passed: { word: 'Passed', tone: 'ok', icon: 'done' },
  failed: { word: 'Failed', tone: 'fail', icon: 'cross' },
  not_testable: { word: 'Not tested', tone: 'off', icon: 'dash' },
};

/** The steps of a check, with what helps where one failed. */
export function CheckReport({ report }: { readonly report: Value }) {
  const steps = memberOf(report, 'steps');
  const list: readonly Value[] = Array.isArray(steps) ? steps : [];
  const isFine = memberOf(report, 'passed') === true;
  return (
    <section class="card" aria-label="Check" role="status">
      <header>
        <h2>{isFine ? 'The check passed' : 'The check failed'}</h2>
      </header>
      <ul class="list">
        {list.map((step, at) => (
          <Step key={`${textOf(step, 'step')} ${at}`} step={step} />
        ))}
      </ul>
    </section>
  );
}

function Step({ step }: { readonly step: Value }) {
  const look = looks[textOf(step, 'outcome')] ?? { word: '?', tone: 'off', icon: 'question' };
  const [cause, remedy, reason] = [textOf(step, 'cause'), textOf(step, 'remedy'), textOf(step, 'reason')];
  return (
    <li>
      <div class="need">
        <div class="what">
          {words[textOf(step, 'step')] ?? textOf(step, 'step')}
          <span class="quiet wrap">{textOf(step, 'permission') || textOf(step, 'target')}</span>
        </div>
        <Badge {...look} />
      </div>
      {cause === '' ? null : <p class="wrap">{cause}</p>}
      {remedy === '' ? null : <p class="wrap">What helps: {remedy}.</p>}
      {reason === '' ? null : <p class="quiet wrap">{reason}</p>}
    </li>
  );
}
