import { examine, isWell } from '#client/doctor/examine.ts';
import type { Finding } from '#client/doctor/finding.ts';
import type { Installation } from '#client/doctor/installation.ts';
import type { PageReply } from '#client/page.ts';
import { requestOf } from '#client/request.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import type { Look } from '#ui/parts/words.ts';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';

/** What is wrong with the installation: the findings of `keyferry doctor`, as the caller of the page. */
export function Doctor() {
  const asked = useQuery({ key: ['doctor'], ask: ({ signal }) => examined(signal) });
  return (
    <Answer asked={asked}>
      {({ data }) => {
        const findings = (Array.isArray(data) ? data : []) as readonly Value[];
        return (
          <section class="card" aria-label="Findings">
            <header>
              <span class="what">
                <strong>{isFine(findings) ? 'Nothing needs you' : 'What needs you'}</strong>
                <span class="quiet">
                  looked <Time at={new Date(asked.at).toISOString()} />
                </span>
              </span>
              <Button small icon="spin" onPress={asked.again}>
                Look again
              </Button>
            </header>
            <ul class="list" aria-label="Findings">
              {sorted(findings).map((finding) => (
                <One key={`${textOf(finding, 'check')} ${textOf(finding, 'finding')}`} finding={finding} />
              ))}
            </ul>
          </section>
        );
      }}
    </Answer>
  );
}

/** As a reply, so that it is kept and renewed like one. */
async function examined(signal: AbortSignal): Promise<PageReply> {
  const look: Installation['look'] = async (operation, { parameters = {}, fields } = {}) =>
    (await api.ask(requestOf(operation, parameters, fields), { signal })).data;
  const findings = await examine({
    address: location.origin,
    version: undefined,
    hasToken: true,
    look,
    lookWithoutToken: look,
  });
  const data: Value = findings.map((finding) => ({ ...finding }));
  return { status: 200, whole: data, data, warnings: [], etag: undefined };
}

const isFine = (findings: readonly Value[]): boolean => isWell(findings as unknown as readonly Finding[]);

const looks: Readonly<Record<string, Look>> = {
  failed: { word: 'Failed', tone: 'fail', icon: 'cross' },
  warning: { word: 'Warning', tone: 'warn', icon: 'alert' },
  'not checked': { word: 'Not checked', tone: 'off', icon: 'lock' },
  passed: { word: 'Passed', tone: 'ok', icon: 'done' },
};
const order = Object.keys(looks);

const sorted = (findings: readonly Value[]): readonly Value[] =>
  [...findings].sort((a, b) => order.indexOf(textOf(a, 'outcome')) - order.indexOf(textOf(b, 'outcome')));

function One({ finding }: { readonly finding: Value }) {
  const remedy = textOf(finding, 'remedy');
  const look = looks[textOf(finding, 'outcome')] ?? { word: 'Unknown', tone: 'off', icon: 'question' };
  return (
    <li class="system-finding">
      <Badge {...look} />
      <div>
        <strong class="wrap">{textOf(finding, 'check')}</strong>
        <p class="wrap">{String(memberOf(finding, 'finding') ?? '')}</p>
        {remedy === '' ? null : (
          <p class="system-remedy">
            <Icon name="arrow" size={14} />
            {remedy.startsWith('keyferry ') ? <code class="wrap">{remedy}</code> : <span class="wrap">{remedy}</span>}
          </p>
        )}
      </div>
    </li>
  );
}
