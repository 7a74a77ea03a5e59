import { useState } from 'preact/hooks';
import { isObject, type Value } from '#client/wire/json.ts';
import { groupOfHelp } from '#ui/form/described.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Fields } from '#ui/form/generated.tsx';
import { asTyped, type GroupShape, sentOf, type Typed } from '#ui/form/shape.ts';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import type { QuotaKind } from './kinds.ts';

interface EditProps {
  readonly kind: QuotaKind;
  /** Absent for a new one. */
  readonly name?: string;
  readonly stored?: Value;
  readonly onClose: () => void;
}

/** A form of the fields that the help of the path names. */
export function EditQuota(props: EditProps) {
  const { kind, name, onClose } = props;
  const title = name === undefined ? `New quota: ${kind.title.toLowerCase()}` : `Quota ${name}`;
  const asked = useQuery({
    key: ['help', kind.id],
    ask: ({ signal }) =>
      api.ask({ method: 'GET', path: `v1/sys/quotas/${kind.id}/new`, query: { help: '1' } }, { signal }),
  });
  if (asked.reply === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        <Answer asked={asked}>{() => null}</Answer>
      </Dialog>
    );
  return <Form {...props} title={title} group={groupOfHelp(asked.reply.whole, 'Limit')} />;
}

type FormProps = EditProps & { readonly title: string; readonly group: GroupShape };

function Form({ kind, name, stored, title, group, onClose }: FormProps) {
  const [given, setGiven] = useState(name ?? '');
  const before = stored === undefined ? undefined : typedOf(group, stored);
  const [typed, setTyped] = useState<Typed>(before ?? {});
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const send = async () => {
    const { body, problems } = sentOf([group], typed, before);
    setWrong(problems);
    if (Object.keys(problems).length > 0) throw new Error('A field has a mistake.');
    // A field that was emptied goes back to what it is without one.
    const fields = Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value ?? '']));
    await api.call(kind.operations.write, { name: given.trim() }, fields);
    say('ok', `The quota ${given.trim()} is saved.`);
    await refresh('quotas');
  };
  return (
    <FormDialog
      title={title}
      verb="Save"
      refusal={given.trim() === '' ? 'The quota needs a name.' : undefined}
      fields={group.fields.map((field) => field.name)}
      {...{ onClose, send }}
    >
      {(refused) => (
        <>
          {name === undefined ? <TextField label="Name" required autofocus value={given} onValue={setGiven} /> : null}
          <Fields
            fields={group.fields}
            typed={typed}
            problems={{ ...refused, ...wrong }}
            isStored={stored !== undefined}
            onTyped={(key, value) => setTyped((now) => ({ ...now, [key]: value }))}
          />
        </>
      )}
    </FormDialog>
  );
}

const typedOf = ({ fields }: GroupShape, stored: Value): Typed =>
  Object.fromEntries(fields.map(({ name }) => [name, asTyped(isObject(stored) ? stored[name] : undefined)]));
