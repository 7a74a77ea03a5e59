import { useState } from 'preact/hooks';
import { teamAccess, workspaces } from '#client/operations/workspaces.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { State } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { rowsPerPage } from '#ui/table/pages.ts';
import { type Item, itemsOf } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { refusalIn } from '../document/words.ts';
import { Grant } from './grant.tsx';
import { levelWord, type Team } from './levels.ts';
import { Revoke } from './revoke.tsx';

type Step =
  | { readonly kind: 'add' }
  | { readonly kind: 'change' | 'revoke'; readonly grant: Item; readonly team: Team };

/** The teams with access of their own to a workspace. */
export function Teams({ organization, workspace }: PartProps) {
  const [step, setStep] = useState<Step>();
  const asked = useQuery({
    key: ['grants', workspace.id],
    ask: (options) => api.call(teamAccess.list, {}, { 'filter[workspace][id]': workspace.id }, options),
    everyMs: pollMs,
  });
  const listed = useQuery({
    key: ['teams', organization],
    ask: (options) =>
      api.call(workspaces.teams, { organization_name: organization }, { 'page[size]': rowsPerPage }, options),
  });
  const teams = listed.reply === undefined ? [] : itemsOf(listed.reply).map(teamOf);
  const refusal = refusalIn(workspace, 'can-update');
  const close = () => setStep(undefined);
  return (
    <Shown asked={asked}>
      {(reply) => {
        const grants = itemsOf(reply);
        const taken = new Set(grants.map((one) => one.related('team')));
        const free = teams.filter(({ id, isOwners }) => !isOwners && !taken.has(id));
        return (
          <section class="card" aria-label="Teams with access">
            <header>
              <div>
                <h2>Teams with access</h2>
                <p class="quiet">Owners of the organization, and teams with access to its project, have theirs too.</p>
              </div>
              <Button small icon="plus" refusal={refusal} onPress={() => setStep({ kind: 'add' })}>
                Add a team
              </Button>
            </header>
            <Grants grants={grants} teams={teams} refusal={refusal} onStep={setStep} />
            {step?.kind === 'add' ? <Grant workspace={workspace} free={free} onClose={close} /> : null}
            {step?.kind === 'change' ? (
              <Grant workspace={workspace} free={[step.team]} grant={step.grant} onClose={close} />
            ) : null}
            {step?.kind === 'revoke' ? <Revoke grant={step.grant} team={step.team} onClose={close} /> : null}
          </section>
        );
      }}
    </Shown>
  );
}

/** The team of owners is the only one with its name, in any writing. */
const teamOf = (team: Item): Team => ({
  id: team.id,
  name: team.text('name'),
  isOwners: team.text('name').toLowerCase() === 'owners',
});

interface GrantsProps {
  readonly grants: readonly Item[];
  readonly teams: readonly Team[];
  readonly refusal: string | undefined;
  readonly onStep: (step: Step) => void;
}

function Grants({ grants, teams, refusal, onStep }: GrantsProps) {
  if (grants.length === 0)
    return (
      <State icon="person" title="No team has access of its own">
        Add one to let its members read, plan or apply here.
      </State>
    );
  return (
    <ul class="list">
      {grants.map((grant) => {
        const id = grant.related('team');
        const team = teams.find((one) => one.id === id) ?? { id, name: id, isOwners: false };
        return (
          <li key={grant.id} class="need">
            <div class="what">
              <Icon name="person" />
              <span class="wrap">{team.name}</span>
              <Badge tone="off" icon="key" word={levelWord(grant.text('access'))} />
            </div>
            <span class="actions">
              <Button
                small
                refusal={refusal}
                label={`Change the access of ${team.name}`}
                onPress={() => onStep({ kind: 'change', grant, team })}
              >
                Change
              </Button>
              <Button
                small
                refusal={refusal}
                label={`Remove ${team.name}`}
                onPress={() => onStep({ kind: 'revoke', grant, team })}
              >
                Remove
              </Button>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
