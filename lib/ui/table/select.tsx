import type { Selection } from './selection.ts';

/** In the line of the names: selects all that match. */
export function SelectAll<R>({ selection }: { readonly selection: Selection<R> }) {
  return (
    <span class="cell pick" role="columnheader" tabIndex={-1}>
      <input
        type="checkbox"
        aria-label="Select all matching"
        checked={selection.isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !selection.isAll && selection.picked.length > 0;
        }}
        onChange={selection.toggleAll}
      />
    </span>
  );
}

interface SelectRowProps {
  readonly isSelected: boolean;
  readonly isLoading: boolean;
  readonly onToggle: () => void;
}

/** A press beside the box selects too, and does not open the row. By keys, the row itself is selected. */
export const SelectRow = ({ isSelected, isLoading, onToggle }: SelectRowProps) => (
  <div
    role="gridcell"
    class="cell pick"
    onClick={(event) => {
      event.stopPropagation();
      onToggle();
    }}
  >
    {isLoading ? null : (
      <input
        type="checkbox"
        aria-label="Select"
        tabIndex={-1}
        checked={isSelected}
        onChange={(event) => {
          // The state decides, also after a press that changed nothing.
          event.currentTarget.checked = event.currentTarget.closest('[role="row"]')?.ariaSelected === 'true';
        }}
      />
    )}
  </div>
);
