import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { SelectField } from '#ui/form/field.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { Failed, Skeleton, Stale, State } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import type { Look } from '#ui/parts/words.ts';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { orEmpty, pollMs, refresh, useQuery } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';
import { NewRule } from './new-rule.tsx';

/** The standing rules that send secrets to this destination. A namespace has at most 100. */
export function Rules({ type, name }: { readonly type: string; readonly name: string }) {
  const [isMaking, setMaking] = useState(false);
  const place = `${type}/${name}`;
  const rights = useRights(['sys/sync/rules/new']);
  const asked = useQuery({
    key: ['rules'],
    ask: (options) => orEmpty(api.call(sync.listRules, {}, undefined, options)),
    everyMs: pollMs,
  });
  if (asked.reply === undefined)
    return asked.failure === undefined ? <Skeleton /> : <Failed failure={asked.failure} again={asked.again} />;
  const all = listIn(asked.reply.data, 'keys').map(String);
  const info = memberOf(asked.reply.data, 'key_info');
  const mine = all.filter((rule) => textsOf(info, rule, 'destinations').includes(place));
  return (
    <>
      <Stale asked={asked} />
      <div class="actions">
        <Button icon="plus" refusal={rights.refusal('update', 'sys/sync/rules/new')} onPress={() => setMaking(true)}>
          New rule
        </Button>
      </div>
      {mine.length === 0 ? (
        <div class="card">
          <State icon="layers" title="No rule sends here">
            A rule associates the secrets of a mount, or below a prefix, with this destination: those there are, and
            those to come.
          </State>
        </div>
      ) : (
        <ul class="card list" aria-label="Rules">
          {mine.map((rule) => (
            <Rule key={rule} name={rule} rule={memberOf(info, rule) ?? null} place={place} />
          ))}
        </ul>
      )}
      {isMaking ? <NewRule place={place} taken={all} onClose={() => setMaking(false)} /> : null}
    </>
  );
}

const looks: Readonly<Record<string, Look>> = {
  active: { word: 'Active', tone: 'ok', icon: 'done' },
  suspended: { word: 'Suspended', tone: 'fail', icon: 'pause' },
  deleting: { word: 'Being deleted', tone: 'off', icon: 'clock' },
};

function Rule({ name, rule, place }: { readonly name: string; readonly rule: Value; readonly place: string }) {
  const [isDeleting, setDeleting] = useState(false);
  const path = `sys/sync/rules/${name}`;
  const rights = useRights([path]);
  const state = textOf(rule, 'state');
  const [prefix, glob, reason] = [textOf(rule, 'prefix'), textOf(rule, 'glob'), textOf(rule, 'reason')];
  const others = textsOf(rule, 'destinations').filter((one) => one !== place);
  return (
    <li class="need">
      <div>
        <div class="what">
          <Badge {...(looks[state] ?? { word: state, tone: 'off', icon: 'question' })} />
          <span class="wrap">{name}</span>
        </div>
        <p class="quiet wrap">
          <code>
            {textOf(rule, 'mount')}/{prefix}
          </code>
          {glob === '' ? '' : ` that match ${glob}`}
          {others.length === 0 ? '' : ` · also to ${others.join(', ')}`}
        </p>
        {reason === '' ? null : <p class="wrap">{reason}</p>}
      </div>
      <Button
        small
        label={`Delete rule ${name}`}
        refusal={state === 'deleting' ? 'It is being deleted.' : rights.refusal('delete', path)}
        onPress={() => setDeleting(true)}
      >
        Delete
      </Button>
      {isDeleting ? <DeleteRule name={name} onClose={() => setDeleting(false)} /> : null}
    </li>
  );
}

function DeleteRule({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [keep, setKeep] = useState('true');
  const [problem, setProblem] = useState('');
  const remove = async () => {
    try {
      await api.call(sync.deleteRule, { rule: name }, { keep: keep === 'true' });
      say('ok', `The rule ${name} is being deleted.`);
      onClose();
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be deleted.'));
    }
    await refresh('rules');
  };
  return (
    <Dialog title={`Delete the rule ${name}?`} onClose={onClose}>
      <SelectField
        label="What it has made, at all its destinations"
        value={keep}
        options={[
          ['true', 'Keep the associations and copies'],
          ['false', 'End the associations and remove the copies'],
        ]}
        onValue={setKeep}
      />
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" onPress={remove}>
          Delete rule
        </Button>
      </div>
    </Dialog>
  );
}
