import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { TextField } from '../form/field.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Answer } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { api, enterNamespace, namespace } from '../state/api.ts';
import { useRights } from '../state/rights.ts';
import { gate, homeOf } from '../state/session.ts';
import { orEmpty, refresh, useQuery } from '../state/use-query.ts';
import { listIn } from '../table/pages.ts';

/** What a namespace is called: the root has no name. */
const namespaceWord = (path: string): string => (path === '' ? 'root' : path);

type Opened = { readonly what: 'create' | 'delete'; readonly path: string };

/** The namespaces that the caller may use, as a tree that opens level by level. */
export function Namespaces({ onClose }: { readonly onClose: () => void }) {
  const [opened, setOpened] = useState<Opened>();
  if (opened?.what === 'create') return <CreateNamespace within={opened.path} onClose={() => setOpened(undefined)} />;
  if (opened?.what === 'delete') return <DeleteNamespace path={opened.path} onClose={() => setOpened(undefined)} />;
  return (
    <Dialog title="Namespace" onClose={onClose}>
      <ul class="namespaces" aria-label="Namespaces">
        <Branch path={homeOf(gate.value)} isOpenAtFirst {...{ onClose, onOpen: setOpened }} />
      </ul>
    </Dialog>
  );
}

interface BranchProps {
  /** Without slashes at its ends. */
  readonly path: string;
  readonly isOpenAtFirst: boolean;
  readonly onClose: () => void;
  readonly onOpen: (opened: Opened) => void;
}

function Branch({ path, isOpenAtFirst, onClose, onOpen }: BranchProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const name = namespaceWord(nameOf(path));
  const isHere = path === namespace.value;
  return (
    <li>
      <div class="namespace-row">
        <button
          type="button"
          class="button plain small"
          aria-expanded={isOpen}
          aria-label={`Namespaces in ${namespaceWord(path)}`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'minus' : 'plus'} size={14} />
        </button>
        <EnterButton {...{ path, name, isHere, onClose }} />
        <Actions {...{ path, onOpen }} />
      </div>
      {isOpen ? <Below {...{ path, onClose, onOpen }} /> : null}
    </li>
  );
}

interface EnterProps {
  readonly path: string;
  readonly name: string;
  readonly isHere: boolean;
  readonly onClose: () => void;
}

function EnterButton({ path, name, isHere, onClose }: EnterProps) {
  const { route } = useLocation();
  const enter = () => {
    onClose();
    if (isHere) return;
    // An address may name something of the namespace that is left.
    route('/ui/', true);
    enterNamespace(path);
    say('ok', `You are in the namespace ${namespaceWord(path)}.`);
  };
  return (
    <button
      type="button"
      class="namespace-name wrap"
      aria-label={`Enter ${namespaceWord(path)}`}
      aria-current={isHere ? 'true' : undefined}
      onClick={enter}
    >
      <Icon name={isHere ? 'check' : 'folder'} />
      {name}
    </button>
  );
}

function Actions({ path, onOpen }: Pick<BranchProps, 'path' | 'onOpen'>) {
  const making = 'sys/namespaces/new';
  const removing = `sys/namespaces/${nameOf(path)}`;
  const inside = useRights([making], path);
  const above = useRights([removing], path === homeOf(gate.value) ? path : parentOf(path));
  return (
    <span class="namespace-actions">
      <Button
        small
        look="plain"
        icon="plus"
        label={`New namespace in ${namespaceWord(path)}`}
        refusal={inside.refusal('update', making)}
        onPress={() => onOpen({ what: 'create', path })}
      >
        New
      </Button>
      {path === homeOf(gate.value) ? null : (
        <Button
          small
          look="plain"
          label={`Delete ${path}`}
          refusal={above.refusal('delete', removing)}
          onPress={() => onOpen({ what: 'delete', path })}
        >
          Delete
        </Button>
      )}
    </span>
  );
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
const slashed = (path: string): string => (path === '' ? '' : `${path}/`);

function Below({ path, ...others }: Omit<BranchProps, 'isOpenAtFirst'>) {
  const asked = useQuery({
    key: ['namespaces', path],
    ask: (options) => orEmpty(api.call(system.visibleNamespaces, {}, undefined, { ...options, namespace: path })),
  });
  return (
    <Answer asked={asked}>
      {({ data }) => {
        const names = listIn(data, 'keys').map((key) => String(key).replace(/\/$/, ''));
        if (names.length === 0) return <p class="quiet namespace-none">None below it that you may use.</p>;
        return (
          <ul>
            {names.map((name) => {
              const below = `${slashed(path)}${name}`;
              return (
                <Branch key={below} path={below} isOpenAtFirst={namespace.value.startsWith(`${below}/`)} {...others} />
              );
            })}
          </ul>
        );
      }}
    </Answer>
  );
}

function CreateNamespace({ within, onClose }: { readonly within: string; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const send = async () => {
    const path = name.trim().replace(/^\/+|\/+$/g, '');
    await api.call(system.createNamespace, { path }, {}, { namespace: within });
    say('ok', `The namespace ${slashed(within)}${path} is there.`);
    await refresh('namespaces');
  };
  return (
    <FormDialog
      title={`New namespace in ${namespaceWord(within)}`}
      verb="Create"
      refusal={name.trim() === '' ? 'The namespace needs a name.' : undefined}
      fields={['path']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <TextField
          label="Name"
          hint="Letters, digits and underscores, with dashes and dots between them."
          required
          autofocus
          value={name}
          problem={problems['path']}
          onValue={setName}
        />
      )}
    </FormDialog>
  );
}

function DeleteNamespace({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const { route } = useLocation();
  const send = async () => {
    const { data } = await api.call(system.deleteNamespace, { path: nameOf(path) }, undefined, {
      namespace: parentOf(path),
    });
    say('ok', data === undefined ? `${path} is deleted.` : `${path} is gone. Its copies are being removed.`);
    if (`${namespace.value}/`.startsWith(`${path}/`)) {
      route('/ui/', true);
      enterNamespace(homeOf(gate.value));
    } else await refresh('namespaces');
  };
  return (
    <FormDialog
      title={`Delete the namespace ${path}?`}
      verb="Delete namespace"
      look="danger"
      refusal={typed === path ? undefined : 'Type the path of the namespace first.'}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <p>
            Its mounts with all secrets, policies, tokens, identities and destinations are deleted for good, and the
            copies at its destinations are removed. Namespaces below it have to be deleted first.
          </p>
          <TextField label={`Type ${path} to confirm`} value={typed} onValue={setTyped} />
        </>
      )}
    </FormDialog>
  );
}
