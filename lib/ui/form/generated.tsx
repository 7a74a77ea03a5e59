import { useEffect, useRef } from 'preact/hooks';
import { CheckField, SelectField, TextField } from './field.tsx';
import type { FieldShape, GroupShape, Typed } from './shape.ts';

interface GeneratedProps {
  readonly groups: readonly GroupShape[];
  readonly typed: Typed;
  readonly onTyped: (name: string, value: string) => void;
  readonly problems: Readonly<Record<string, string>>;
  /** The resource is stored: fixed fields are locked, and sensitive ones keep their value. */
  readonly isStored: boolean;
  /** Groups that are folded at first. */
  readonly folded: ReadonlySet<string>;
}

/** A form for whatever fields the server describes. The first field that is refused gets the focus. */
export function Generated({ groups, problems, folded, ...others }: GeneratedProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return (
    <div class="form" ref={box}>
      {groups.map((group) => {
        const isFolded = folded.has(group.name) && !group.fields.some(({ name }) => problems[name] !== undefined);
        return (
          <details key={group.name} class="card" open={!isFolded}>
            <summary class="inside">
              <h2 class="inline">{group.label}</h2>
            </summary>
            <fieldset class="inside group" aria-label={group.label}>
              <Fields fields={group.fields} problems={problems} {...others} />
            </fieldset>
          </details>
        );
      })}
    </div>
  );
}

type FieldsProps = Pick<GeneratedProps, 'typed' | 'onTyped' | 'problems' | 'isStored'> & {
  readonly fields: readonly FieldShape[];
};

/** The fields of a group, without a frame. */
export const Fields = ({ fields, problems, ...others }: FieldsProps) => (
  <>
    {fields.map((field) => (
      <One key={field.name} field={field} problem={problems[field.name]} {...others} />
    ))}
  </>
);

type OneProps = Pick<GeneratedProps, 'typed' | 'onTyped' | 'isStored'> & {
  readonly field: FieldShape;
  readonly problem: string | undefined;
};

function One({ field, problem, typed, onTyped, isStored }: OneProps) {
  const { name, label, description, type, required, sensitive, immutable, multiline, values, usual } = field;
  const locked = isStored && immutable;
  const common = {
    label,
    hint: locked ? `${description}. Fixed since the destination was created.` : hintOf(field),
    problem,
    required: required && !isStored,
    locked,
    value: typed[name] ?? '',
    onValue: (value: string) => onTyped(name, value),
  };
  if (type === 'boolean') {
    const isOn = (typed[name] ?? usual) === 'true';
    return <CheckField {...common} value={isOn} onValue={(next) => onTyped(name, String(next))} />;
  }
  if (values.length > 0 && type === 'string')
    return (
      <SelectField
        {...common}
        options={[['', usual === '' ? 'Default' : `Default (${usual})`], ...values.map((one) => [one, one] as const)]}
      />
    );
  return (
    <TextField
      {...common}
      type={type === 'integer' ? 'number' : sensitive && !multiline ? 'password' : 'text'}
      multiline={multiline || type === 'object' || type === 'json' || type.startsWith('array')}
      placeholder={isStored && sensitive ? 'Kept unless you type another' : usual}
      autocomplete={sensitive ? 'new-password' : 'off'}
    />
  );
}

/** How several values are typed, by the beginning of the type. */
const forms: Readonly<Record<string, string>> = {
  json: 'As JSON.',
  object: 'One key=value in a line, or a JSON object.',
  array: 'One entry in a line.',
};

function hintOf({ description, type }: FieldShape): string {
  const form = forms[type.split(' ')[0] ?? ''] ?? '';
  return [description === '' ? '' : `${description}.`, form].filter(Boolean).join(' ');
}
