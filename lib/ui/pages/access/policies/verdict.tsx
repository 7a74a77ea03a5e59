import { isObject, memberOf, printJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { listIn } from '#ui/table/pages.ts';
import { accessUrl } from '../address.ts';

/** The outcome of a test: allowed or not, why, and the rule that decides. */
export function Verdict({ verdict }: { readonly verdict: Value }) {
  const isAllowed = memberOf(verdict, 'allowed') === true;
  const rule = memberOf(verdict, 'rule');
  const codes = textsOf(verdict, 'mfa_methods');
  return (
    <div class="form">
      <p class="what">
        {isAllowed ? (
          <Badge tone="ok" icon="done" word="Allowed" />
        ) : (
          <Badge tone="fail" icon="cross" word="Not allowed" />
        )}
        <span class="wrap">{textOf(verdict, 'reason')}.</span>
      </p>
      {isObject(rule) ? (
        <dl class="facts">
          <dt>Rule</dt>
          <dd>
            <code class="wrap">{textOf(rule, 'path')}</code>
          </dd>
          <dt>Grants</dt>
          <dd>{textsOf(rule, 'capabilities').join(', ')}</dd>
          <dt>Stands in</dt>
          <dd>
            {listIn(rule, 'policies').map((one, at) => (
              <div key={at} class="wrap">
                <Source policy={one} />
              </div>
            ))}
          </dd>
          {limits.map(([name, word]) =>
            memberOf(rule, name) === undefined ? null : (
              <Limit key={name} word={word} value={memberOf(rule, name) ?? null} />
            ),
          )}
          {codes.length === 0 ? null : <Limit word="Codes of" value={codes} />}
        </dl>
      ) : null}
    </div>
  );
}

const limits = [
  ['allowed_parameters', 'Parameters allowed'],
  ['denied_parameters', 'Parameters denied'],
  ['required_parameters', 'Parameters required'],
  ['min_wrapping_ttl', 'Wrapped at least, s'],
  ['max_wrapping_ttl', 'Wrapped at most, s'],
] as const;

const Limit = ({ word, value }: { readonly word: string; readonly value: Value }) => (
  <>
    <dt>{word}</dt>
    <dd>
      <code class="wrap">{Array.isArray(value) ? value.map(String).join(', ') : printJson(value)}</code>
    </dd>
  </>
);

/** A line of the text in the editor, or a stored policy. One of another namespace has no page here. */
function Source({ policy }: { readonly policy: Value }) {
  const [line, name, within] = [textOf(policy, 'line'), textOf(policy, 'name'), textOf(policy, 'namespace_path')];
  const granted = textsOf(policy, 'capabilities').join(', ');
  if (line !== '') return <>Line {line}</>;
  return (
    <>
      {within === '' ? <a href={accessUrl('policies', { key: name })}>{name}</a> : `${name} of ${within}`}{' '}
      <span class="quiet">({granted})</span>
    </>
  );
}
