import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { SelectField, TextField } from './field.tsx';
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
  if (type === 'boolean') return <Check {...common} value={typed[name] ?? usual} />;
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
      multiline={multiline || type === 'object' || type.startsWith('array')}
      placeholder={isStored && sensitive ? 'Kept unless you type another' : usual}
      autocomplete={sensitive ? 'new-password' : 'off'}
    />
  );
}

function hintOf({ description, type }: FieldShape): string {
  if (type === 'object') return `${description}. One key=value in a line.`;
  if (type.startsWith('array')) return `${description}. One entry in a line.`;
  return `${description}.`;
}

interface CheckProps {
  readonly label: string;
  readonly hint: string;
  readonly problem: string | undefined;
  readonly locked: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Check({ label, hint, problem, locked, value, onValue }: CheckProps) {
  const isOn = value === 'true';
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={locked}
          aria-invalid={problem === undefined ? undefined : 'true'}
          onChange={() => onValue(isOn ? 'false' : 'true')}
        />
        <span>
          {label}
          <br />
          <span class="hint">{hint}</span>
        </span>
      </label>
      {problem === undefined ? null : (
        <span class="problem" role="alert">
          <Icon name="alert" />
          {problem}
        </span>
      )}
    </div>
  );
}
