import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { runs } from '#client/operations/workspaces.ts';
import type { Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Button } from '#ui/parts/button.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import { runUrl } from '../address.ts';
import { dataOf, type Item, itemIn } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { refusalIn } from '../document/words.ts';

interface Kind {
  readonly id: string;
  readonly word: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly meaning: (workspace: Item) => string;
  /** Why it cannot be started; undefined where it can. */
  readonly refusal: (workspace: Item) => string | undefined;
}

const applied = (workspace: Item): string =>
  workspace.is('auto-apply')
    ? 'A plan with changes is applied at once.'
    : 'A plan with changes waits for confirmation.';

const kinds: readonly Kind[] = [
  {
    id: 'apply',
    word: 'Plan and apply',
    attributes: {},
    meaning: applied,
    refusal: (workspace) => refusalIn(workspace, 'can-queue-run'),
  },
  {
    id: 'plan',
    word: 'Plan only',
    attributes: { 'plan-only': true },
    meaning: () => 'Shows what would change, and changes nothing. It does not wait for other runs.',
    refusal: (workspace) => refusalIn(workspace, 'can-queue-run'),
  },
  {
    id: 'refresh',
    word: 'Refresh only',
    attributes: { 'refresh-only': true },
    meaning: (workspace) => `Brings the state up to what exists, and changes no resource. ${applied(workspace)}`,
    refusal: (workspace) => refusalIn(workspace, 'can-queue-run'),
  },
  {
    id: 'destroy',
    word: 'Destroy',
    attributes: { 'is-destroy': true },
    meaning: (workspace) => `Destroys all resources of the workspace. ${applied(workspace)}`,
    refusal: (workspace) =>
      workspace.value('allow-destroy-plan') === false
        ? 'The settings of the workspace do not allow destroy plans.'
        : refusalIn(workspace, 'can-queue-destroy'),
  },
];

/** Starts a run with the latest configuration. */
export function Start({ organization, workspace }: PartProps) {
  const [isOpen, setOpen] = useState(false);
  const isLocal = workspace.text('execution-mode') === 'local';
  const refusal = isLocal
    ? 'Runs of this workspace are executed on your machine. Its settings say where.'
    : refusalIn(workspace, 'can-queue-run');
  return (
    <>
      <Button icon="play" look="primary" refusal={refusal} onPress={() => setOpen(true)}>
        Start a run
      </Button>
      {isOpen ? <Ask {...{ organization, workspace }} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Ask({ organization, workspace, onClose }: PartProps & { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [id, setId] = useState('apply');
  const [message, setMessage] = useState('');
  const kind = kinds.find((one) => one.id === id);
  const send = async () => {
    const attributes = { ...kind?.attributes, ...(message.trim() === '' ? {} : { message: message.trim() }) };
    const data = dataOf('runs', attributes, { workspace: ['workspaces', workspace.id] });
    const made = itemIn(await api.call(runs.create, {}, { data }));
    say('ok', 'The run is started.');
    route(runUrl(organization, workspace.text('name'), made.id));
    await Promise.all([refresh('runs'), refresh('workspace')]);
  };
  return (
    <FormDialog
      title={`Start a run of ${workspace.text('name')}`}
      verb="Start"
      look={id === 'destroy' ? 'danger' : 'primary'}
      refusal={kind?.refusal(workspace)}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <SelectField
            label="Kind"
            value={id}
            options={kinds.map((one) => [one.id, one.word] as const)}
            onValue={setId}
          />
          <p>{kind?.meaning(workspace)}</p>
          <TextField label="Message" multiline value={message} onValue={setMessage} />
          <p class="quiet">
            It uses the configuration that was uploaded last
            {workspace.is('locked') ? ', and waits until the workspace is unlocked' : ''}.
          </p>
        </>
      )}
    </FormDialog>
  );
}
